#pragma once
// report.html, report.css and report.js, embedded at build time (see cmake/EmbedText.cmake).
namespace dalaup {

extern const char* const kReportTemplate;
extern const char* const kReportStyle;
extern const char* const kReportScript;

}  // namespace dalaup
