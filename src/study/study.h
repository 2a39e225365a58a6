#pragma once
// The labelling study: one SQLite file that people's answers go into and nothing is lost from, and
// the session that asks them. Include this, not the headers below it.
#include "study/advice.h"
#include "study/agreement.h"
#include "study/evidence.h"
#include "study/import.h"
#include "study/kept_model.h"
#include "study/labelling_params.h"
#include "study/labelling_session.h"
#include "study/ledger.h"
#include "study/people.h"
#include "study/profiles.h"
#include "study/records.h"
#include "study/review.h"
#include "study/session_views.h"
#include "study/study_file.h"
