graph [
  node [
    id 0
    label "M&#252;ller &#38; Co"
  ]
  node [
    id 1
    label "&#321;ukasz &#x1F600;"
  ]
  node [ id 2 label "R&D &#; &#x;" ]
  edge [
    source 0
    target 1
  ]
]
