Creator "igraph"
graph [
  directed 1
  node [ id 0 name "ann" ]
  node [ id 1 name "bob" ]
  node [ id 2 name "cid" ]
  edge [ source 0 target 1 weight 2 ]
  edge [ source 2 target 1 ]
]
