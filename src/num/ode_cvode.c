// SPDX-License-Identifier: MIT
// CVODE of SUNDIALS 6 behind our contract; the only file that uses SUNDIALS. Hindmarsh et al. 2005.
// One internal step per call, so that the caller sees every step; the end is a stop time of CVODE, so
// that nothing is evaluated beyond it. Dense matrices: the systems inside an FMU are small or were
// given to us without structure.
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "base/reserve.h"
#include "num/ode_type.h"

typedef struct solver {
    SUNContext context;
    void *cvode;
    N_Vector x, absolute;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    bool is_initialized;
    takt_status failure; // of a function of the problem
    takt_error error;
} solver;

enum { MAX_ERROR_TEST_FAILURES = 20, MAX_CONVERGENCE_FAILURES = 20 };

// ---- functions that CVODE calls --------------------------------------------------------------------

// As CVODE expects it: 0 fine, positive: try a smaller step, negative: give up.
static int code_of(solver *own, takt_status st, takt_ode_answer answer)
{
    if (st) own->failure = st;
    return st ? -1 : answer == TAKT_ODE_TOO_FAR ? 1 : 0;
}

static int call_derivatives(realtype t, N_Vector x, N_Vector dx, void *data)
{
    takt_ode *ode = data;
    solver *own = ode->own;
    const takt_ode_problem *p = &ode->problem;
    takt_ode_answer answer = TAKT_ODE_FINE;
    takt_status st = p->derivatives(p->context, t, N_VGetArrayPointer(x), N_VGetArrayPointer(dx),
                                    &answer, &own->error);
    return code_of(own, st, answer);
}

static int call_roots(realtype t, N_Vector x, realtype *g, void *data)
{
    takt_ode *ode = data;
    solver *own = ode->own;
    const takt_ode_problem *p = &ode->problem;
    takt_ode_answer answer = TAKT_ODE_FINE;
    takt_status st = p->roots(p->context, t, N_VGetArrayPointer(x), g, &answer, &own->error);
    return code_of(own, st, answer);
}

static int call_jacobian(realtype t, N_Vector x, N_Vector dx, SUNMatrix matrix, void *data,
                         N_Vector work1, N_Vector work2, N_Vector work3)
{
    (void)work1, (void)work2, (void)work3;
    takt_ode *ode = data;
    solver *own = ode->own;
    const takt_ode_problem *p = &ode->problem;
    takt_ode_answer answer = TAKT_ODE_FINE;
    takt_status st = p->jacobian(p->context, t, N_VGetArrayPointer(x), N_VGetArrayPointer(dx),
                                 SUNDenseMatrix_Data(matrix), &answer, &own->error);
    return code_of(own, st, answer);
}

// CVODE prints nothing; its codes become our messages.
static void be_quiet(int code, const char *module, const char *function, char *message, void *data)
{
    (void)code, (void)module, (void)function, (void)message, (void)data;
}

// Fails with the name that CVODE has for a code; the name belongs to us.
static takt_status fail_code(takt_error *err, const char *what, int code)
{
    if (code == CV_MEM_FAIL) return takt_fail_memory(err);
    char *name = CVodeGetReturnFlagName(code);
    takt_status st = takt_fail(err, TAKT_ERR_SIMULATION, "%s (%s)", what, name ? name : "?");
    takt_reserve_free(name);
    return st;
}

// ---- creation ------------------------------------------------------------------------------------------

static void destroy(takt_ode *ode)
{
    solver *own = ode->own;
    if (!own) return;
    if (own->cvode) CVodeFree(&own->cvode);
    if (own->linear) SUNLinSolFree(own->linear);
    if (own->matrix) SUNMatDestroy(own->matrix);
    if (own->x) N_VDestroy(own->x);
    if (own->absolute) N_VDestroy(own->absolute);
    if (own->context) SUNContext_Free(&own->context);
    free(own);
    ode->own = NULL;
}

static takt_status create_parts(takt_ode *ode, takt_error *err)
{
    const takt_ode_problem *p = &ode->problem;
    solver *own = ode->own;
    if (SUNContext_Create(NULL, &own->context)) return takt_fail_memory(err);
    own->cvode = CVodeCreate(ode->method == TAKT_CVODE_ADAMS ? CV_ADAMS : CV_BDF, own->context);
    own->x = N_VNew_Serial(p->n, own->context);
    own->absolute = N_VNew_Serial(p->n, own->context);
    own->matrix = SUNDenseMatrix(p->n, p->n, own->context);
    if (!own->cvode || !own->x || !own->absolute || !own->matrix) return takt_fail_memory(err);
    own->linear = SUNLinSol_Dense(own->x, own->matrix, own->context);
    if (!own->linear) return takt_fail_memory(err);
    CVodeSetErrHandlerFn(own->cvode, be_quiet, NULL);
    return TAKT_OK;
}

// SUNDIALS 6 does not check all that it allocates: SUNHashMap_New, called for every context, and N_VClone write through
// null pointers. Its small objects get memory of a reserve where there is no other (base/reserve.h). Large ones, the
// vectors and matrices of large systems, would not fit there: so it is only begun when there is room
// for all of them. Another thread may still take the memory in between; more is not possible from outside.
static bool has_room(const takt_ode_problem *p)
{
    enum { VECTORS = 40, MATRICES = 2, SMALL = 1 << 12 };
    const size_t most = SIZE_MAX / sizeof(double);
    size_t n = (size_t)p->n, n_roots = (size_t)p->n_roots;
    if (n > (most - SMALL) / (MATRICES * n + VECTORS) / 2) return false;
    size_t total = n * (MATRICES * n + VECTORS) + 4 * n_roots + SMALL;
    void *room = malloc(total * sizeof(double));
    free(room);
    return room != NULL;
}

static takt_status create(takt_ode *ode, takt_error *err)
{
    ode->own = calloc(1, sizeof(solver));
    if (!ode->own || !has_room(&ode->problem)) return takt_fail_memory(err);
    takt_reserve_begin();
    takt_status st = create_parts(ode, err);
    return takt_reserve_end() ? st : takt_fail_memory(err);
}

static int set_up(takt_ode *ode)
{
    solver *own = ode->own;
    const takt_ode_problem *p = &ode->problem;
    int code = CVodeInit(own->cvode, call_derivatives, ode->t, own->x);
    if (!code) code = CVodeSVtolerances(own->cvode, p->relative, own->absolute);
    if (!code) code = CVodeSetUserData(own->cvode, ode);
    if (!code) code = CVodeSetLinearSolver(own->cvode, own->linear, own->matrix);
    if (!code && p->jacobian) code = CVodeSetJacFn(own->cvode, call_jacobian);
    if (!code && p->n_roots) code = CVodeRootInit(own->cvode, p->n_roots, call_roots);
    if (!code) code = CVodeSetNoInactiveRootWarn(own->cvode);
    if (!code) code = CVodeSetMaxErrTestFails(own->cvode, MAX_ERROR_TEST_FAILURES);
    if (!code) code = CVodeSetMaxConvFails(own->cvode, MAX_CONVERGENCE_FAILURES);
    return code;
}

// The first start; later ones keep what has been set up here.
static takt_status initialize(takt_ode *ode, takt_error *err)
{
    solver *own = ode->own;
    const takt_ode_problem *p = &ode->problem;
    memcpy(N_VGetArrayPointer(own->absolute), p->absolute, (size_t)p->n * sizeof *p->absolute);
    takt_reserve_begin();
    int code = set_up(ode);
    if (!takt_reserve_end()) return takt_fail_memory(err);
    own->is_initialized = !code;
    return code ? fail_code(err, "CVODE cannot be set up", code) : TAKT_OK;
}

static takt_status restart(takt_ode *ode, takt_error *err)
{
    solver *own = ode->own;
    const takt_ode_problem *p = &ode->problem;
    memcpy(N_VGetArrayPointer(own->x), ode->x, (size_t)p->n * sizeof *ode->x);
    if (!own->is_initialized) return initialize(ode, err);
    memcpy(N_VGetArrayPointer(own->absolute), p->absolute, (size_t)p->n * sizeof *p->absolute);
    int code = CVodeReInit(own->cvode, ode->t, own->x);
    if (!code) code = CVodeSVtolerances(own->cvode, p->relative, own->absolute);
    return code ? fail_code(err, "CVODE cannot be started again", code) : TAKT_OK;
}

// ---- stepping --------------------------------------------------------------------------------------

static takt_status fail(const takt_ode *ode, int code, takt_error *err)
{
    solver *own = ode->own;
    if (own->failure) {
        if (err) *err = own->error;
        return own->failure;
    }
    takt_status st = fail_code(err, "other tolerances or another solver may help", code);
    return takt_within(err, st, "t=%.15g s: the integrator %s gives up", ode->t,
                       takt_ode_method_name(ode->method));
}

static takt_status step(takt_ode *ode, double t_end, bool *has_root, takt_error *err)
{
    solver *own = ode->own;
    own->failure = TAKT_OK;
    takt_reserve_begin(); // the first step allocates
    int code = CVodeSetStopTime(own->cvode, t_end);
    if (!code) code = CVode(own->cvode, t_end, own->x, &ode->t, CV_ONE_STEP);
    if (!takt_reserve_end()) return takt_fail_memory(err);
    if (code == CV_TSTOP_RETURN) ode->t = t_end;
    if (code < 0) return fail(ode, code, err);
    *has_root = code == CV_ROOT_RETURN;
    memcpy(ode->x, N_VGetArrayPointer(own->x), (size_t)ode->problem.n * sizeof *ode->x);
    return TAKT_OK;
}

const takt_ode_type takt_ode_cvode = {create, destroy, restart, step};
