# Modules in the order data travels; dependencies point only up this list.
add_module(base LINK fmt::fmt nlohmann_json::nlohmann_json Threads::Threads PkgConfig::ZSTD ZLIB::ZLIB)
add_module(numeric DEPENDS base LINK Eigen3::Eigen)
add_module(communicator DEPENDS base numeric)
add_module(networks DEPENDS base LINK PkgConfig::LIBXML2)
add_module(labels DEPENDS base networks)
add_module(context DEPENDS base numeric communicator networks labels)
add_module(generate DEPENDS base numeric networks labels)
add_module(ranking DEPENDS base numeric networks labels)
add_module(attributes DEPENDS base networks labels)
add_module(evaluation DEPENDS base networks labels LINK Boost::headers)
add_module(aligner DEPENDS base numeric communicator networks labels ranking)
add_module(predictions DEPENDS base communicator networks labels ranking aligner)
add_module(embedding DEPENDS base numeric networks labels ranking aligner)
add_module(methods/propagation DEPENDS base numeric communicator networks labels context ranking attributes aligner)
foreach(method deepwalk pale ione)
  add_module(methods/${method} DEPENDS base networks labels embedding)
endforeach()
add_module(methods/anchor_context DEPENDS base numeric networks labels context ranking aligner embedding)
add_module(methods/aup DEPENDS base numeric networks labels context ranking aligner embedding)
add_module(methods DEPENDS base aligner methods/propagation methods/anchor_context methods/aup methods/deepwalk
           methods/pale methods/ione)
add_module(questions DEPENDS base networks labels)
add_module(query DEPENDS base numeric networks labels ranking aligner questions)
add_module(selection DEPENDS base)
add_module(active_learning DEPENDS base networks labels ranking evaluation aligner questions
                 query selection)
add_module(report DEPENDS base networks labels evaluation)
embed_text(dalaup_report report/template.h
           kReportTemplate src/report/report.html
           kReportStyle src/report/report.css
           kReportScript src/report/report.js)
add_module(experiments DEPENDS base communicator networks labels evaluation aligner query active_learning
                 report)
if(DALAUP_PROGRAM)
  add_module(study QUICK DEPENDS base networks labels ranking evaluation aligner questions query
                   selection active_learning
             LINK SQLiteCpp SQLite::SQLite3 PkgConfig::ICU)
endif()
