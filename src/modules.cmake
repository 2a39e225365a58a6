# Modules in the order data travels; dependencies point only up this list.
add_module(base LINK Eigen3::Eigen fmt::fmt nlohmann_json::nlohmann_json Threads::Threads
           PkgConfig::ZSTD ZLIB::ZLIB openblas_serial)
add_module(networks DEPENDS base LINK PkgConfig::LIBXML2)
add_module(labels DEPENDS base networks)
add_module(context DEPENDS base networks)
add_module(generate DEPENDS base networks labels)
add_module(ranking DEPENDS base networks labels)
add_module(evaluation DEPENDS base networks labels)
add_module(aligner DEPENDS base networks labels ranking)
add_module(embedding DEPENDS base networks labels ranking aligner)
add_module(methods/propagation DEPENDS base networks labels ranking aligner)
add_module(baselines DEPENDS base networks labels aligner embedding)
add_module(methods/aup DEPENDS base networks labels context ranking aligner embedding)
add_module(methods DEPENDS base aligner baselines methods/propagation methods/aup)
add_module(query DEPENDS base networks labels ranking aligner)
add_module(selection DEPENDS base)
add_module(active_learning DEPENDS base networks labels ranking evaluation aligner query selection)
add_module(report DEPENDS base networks labels evaluation)
embed_text(dalaup_report report/template.h
           kReportTemplate src/report/report.html
           kReportStyle src/report/report.css
           kReportScript src/report/report.js)
add_module(experiments DEPENDS base networks labels evaluation aligner query active_learning report)
add_module(study QUICK DEPENDS base networks labels ranking aligner query selection active_learning
           LINK SQLiteCpp SQLite::SQLite3)
