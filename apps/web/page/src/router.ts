// Every view has an address after the #: it can be reloaded, shared, and gone back to.

export interface Route {
  view: string;
  rest: string[]; // such as ["A", "12"]
  query: URLSearchParams;
}

export function routeOf(hash: string): Route {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view, ...rest] = path.split("/").map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { view: view || "label", rest, query: new URLSearchParams(query) };
}

export function addressOf(path: string, query: Record<string, string> = {}): string {
  const words = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== ""));
  const text = words.toString();
  return `#/${path}${text ? `?${text}` : ""}`;
}

// Notes in the address what is shown; going back does not stop at every letter of a search.
export function remember(address: string): void {
  if (location.hash !== address) history.replaceState(null, "", address);
}
