import { defineConfig } from "vite";

// Three files with fixed names: dalaup carries them inside the program.
export default defineConfig({
  base: "/",
  build: {
    target: "es2021",
    modulePreload: false,
    cssCodeSplit: false,
    chunkSizeWarningLimit: 1000,
    rollupOptions: {
      output: {
        entryFileNames: "app.js",
        assetFileNames: "app[extname]",
        inlineDynamicImports: true,
      },
    },
  },
});
