// SPDX-License-Identifier: MIT
// The implicit integrator of the kit: ARKODE of SUNDIALS 6 behind fmukit/solver.h (Reynolds et al., ARKODE: a
// flexible IVP solver infrastructure for one-step methods, 2023; the method is of Kennedy and Carpenter, Diagonally
// implicit Runge-Kutta methods for ordinary differential equations, 2016).
//
// Every call of fmukit_solver_advance() begins ARKODE anew from the states x and the size h of the next step, and
// these two are all that is carried: what it keeps of Jacobians, preconditioners and errors lasts from the beginning of
// a communication step to its end. So saving costs one copy, and repetition is exact. A method of several steps would
// have to begin with tiny ones each time; one of one step loses nothing but the Jacobian.
#include <arkode/arkode_arkstep.h>
#include <fmukit/solver.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "core.h"
#include "solver.h"
#include "solver_memory.h"
#include "vector.h"

enum { MAX_STEPS = 1000000, MAX_FAILURES = 20, KRYLOV_VECTORS = 20, DENSE_OUTPUT_DEGREE = 3 };

// Of an internal step, relative to what the importing program asks for: errors of steps add up.
static const double SHARE = 1;
// From one communication step to the next.
static const double SAFETY = 0.9, LEAST = 0.2, MOST = 10, AFTER_EVENT = 0.1;

struct fmukit_solver {
    fmukit_instance *fmu;
    void *model;
    fmukit_equations equations;
    double *x; // n unknowns
    double *nominals; // likewise
    double h; // s; size of the next internal step; 0: not known
    double t_from, t_to; // s; the latest internal step
    bool stops; // `completed` asks for an event
    fmukit_status failure; // of one of the author's functions
    fmukit_solver_counts counts;
    fmukit_memory memory; // of all that follows
    bool is_out_of_memory; // and all that is of no use any more
    bool is_made;
    SUNContext context;
    void *arkode;
    N_Vector states, absolute, work, weights;
    SUNMatrix matrix;
    SUNLinearSolver linear;
};

// ---- functions that ARKODE calls -------------------------------------------------------------------

// As ARKODE expects it: 0 fine, positive: a smaller step may help, negative: give up.
static int code_of(fmukit_solver *own, fmukit_status status)
{
    if (status == FMUKIT_OK || status == FMUKIT_WARNING) return 0;
    if (status == FMUKIT_DISCARD) return 1;
    own->failure = status;
    return -1;
}

static int call_rates(realtype t, N_Vector x, N_Vector rates, void *data)
{
    fmukit_solver *own = data;
    own->counts.rates++;
    fmukit_inputs_at(own->fmu, t);
    return code_of(own, own->equations.rates(own->fmu, own->model, t, N_VGetArrayPointer(x),
                                             N_VGetArrayPointer(rates)));
}

static int call_prepare(realtype t, N_Vector x, N_Vector rates, booleantype jok, booleantype *jcur,
                        realtype gamma, void *data)
{
    (void)rates, (void)jok;
    fmukit_solver *own = data;
    *jcur = SUNTRUE;
    fmukit_inputs_at(own->fmu, t);
    return code_of(own,
                   own->equations.prepare(own->fmu, own->model, t, N_VGetArrayPointer(x), gamma));
}

static int call_solve(realtype t, N_Vector x, N_Vector rates, N_Vector r, N_Vector z,
                      realtype gamma, realtype delta, int lr, void *data)
{
    (void)t, (void)x, (void)rates, (void)gamma, (void)delta, (void)lr;
    fmukit_solver *own = data;
    return code_of(own, own->equations.solve(own->fmu, own->model, N_VGetArrayPointer(r),
                                             N_VGetArrayPointer(z)));
}

static int call_indicators(realtype t, N_Vector x, realtype *g, void *data)
{
    fmukit_solver *own = data;
    fmukit_inputs_at(own->fmu, t);
    return code_of(own,
                   own->equations.indicators(own->fmu, own->model, t, N_VGetArrayPointer(x), g));
}

// ARKODE prints nothing; what it says goes to the log where a step fails.
static void be_quiet(int code, const char *module, const char *function, char *message, void *data)
{
    (void)code, (void)module, (void)function, (void)message, (void)data;
}

// ---- creation --------------------------------------------------------------------------------------

static bool is_complete(const fmukit_equations *e)
{
    bool has_preconditioner = e->prepare && e->solve, has_half = !e->prepare != !e->solve;
    return e->n > 0 && e->n <= INT32_MAX / 8 && e->rates && !has_half &&
           (!has_preconditioner || e->linear >= FMUKIT_OWN) &&
           (has_preconditioner || e->linear != FMUKIT_OWN) && e->linear <= FMUKIT_KRYLOV &&
           (e->n_indicators == 0 || e->indicators) && e->n_indicators <= INT16_MAX &&
           (e->linear != FMUKIT_BAND || (e->lower < e->n && e->upper < e->n)) && e->max_step >= 0;
}

// FMUKIT_OWN as a linear solver of SUNDIALS that knows its matrix itself.
static SUNLinearSolver_Type own_type(SUNLinearSolver s)
{
    (void)s;
    return SUNLINEARSOLVER_MATRIX_EMBEDDED;
}

static int own_solve(SUNLinearSolver s, SUNMatrix matrix, N_Vector z, N_Vector r,
                     realtype tolerance)
{
    (void)matrix, (void)tolerance;
    fmukit_solver *own = s->content;
    realtype t, gamma;
    N_Vector predicted, x, rates, data;
    void *user;
    if (ARKStepGetNonlinearSystemData(own->arkode, &t, &predicted, &x, &rates, &gamma, &data,
                                      &user) != ARK_SUCCESS)
        return -1;
    booleantype is_new;
    own->counts.setups++;
    int code = call_prepare(t, x, NULL, SUNFALSE, &is_new, gamma, own);
    return code ? code : call_solve(t, x, NULL, r, z, gamma, 0, 1, own);
}

static int own_free(SUNLinearSolver s)
{
    SUNLinSolFreeEmpty(s);
    return 0;
}

static bool make_own(fmukit_solver *own)
{
    own->linear = SUNLinSolNewEmpty(own->context);
    if (!own->linear) return false;
    own->linear->content = own;
    own->linear->ops->gettype = own_type;
    own->linear->ops->solve = own_solve;
    own->linear->ops->free = own_free;
    return true;
}

static bool make_linear(fmukit_solver *own)
{
    const fmukit_equations *e = &own->equations;
    sunindextype n = (sunindextype)e->n;
    if (e->linear == FMUKIT_OWN) return make_own(own);
    if (e->linear == FMUKIT_KRYLOV) {
        int kind = e->prepare ? SUN_PREC_LEFT : SUN_PREC_NONE;
        own->linear = SUNLinSol_SPGMR(own->states, kind, KRYLOV_VECTORS, own->context);
        return own->linear != NULL;
    }
    own->matrix = e->linear == FMUKIT_DENSE ? SUNDenseMatrix(n, n, own->context)
                                            : SUNBandMatrix(n, (sunindextype)e->upper,
                                                            (sunindextype)e->lower, own->context);
    if (!own->matrix) return false;
    own->linear = e->linear == FMUKIT_DENSE
                      ? SUNLinSol_Dense(own->states, own->matrix, own->context)
                      : SUNLinSol_Band(own->states, own->matrix, own->context);
    return own->linear != NULL;
}

static bool set_up(fmukit_solver *own)
{
    const fmukit_equations *e = &own->equations;
    void *a = own->arkode = ARKStepCreate(NULL, call_rates, 0, own->states, own->context);
    if (!a || !make_linear(own)) return false;
    bool ok = ARKStepSetErrHandlerFn(a, be_quiet, NULL) == ARK_SUCCESS &&
              ARKStepSetUserData(a, own) == ARK_SUCCESS &&
              ARKStepSetTableNum(a, ARKODE_ESDIRK436L2SA_6_3_4, ARKODE_ERK_NONE) == ARK_SUCCESS &&
              ARKStepSetInterpolantDegree(a, DENSE_OUTPUT_DEGREE) == ARK_SUCCESS &&
              ARKStepSetLinearSolver(a, own->linear, own->matrix) == ARKLS_SUCCESS &&
              ARKStepSetAdaptivityMethod(a, ARK_ADAPT_I, 1, 0, NULL) == ARK_SUCCESS &&
              ARKStepSetFixedStepBounds(a, 1, 1.1) == ARK_SUCCESS &&
              ARKStepSetMaxErrTestFails(a, MAX_FAILURES) == ARK_SUCCESS &&
              ARKStepSetMaxConvFails(a, MAX_FAILURES) == ARK_SUCCESS &&
              ARKStepSetMaxNumSteps(a, MAX_STEPS) == ARK_SUCCESS;
    // With a matrix of an earlier step the first iteration is not exact, however well earlier ones converged, so
    // that ARKODE's estimate of the contraction must not fall. The others always have the present matrix.
    if (ok && e->linear < FMUKIT_OWN) ok = ARKStepSetNonlinCRDown(a, 1) == ARK_SUCCESS;
    if (ok && e->prepare && e->linear == FMUKIT_KRYLOV)
        ok = ARKStepSetPreconditioner(a, call_prepare, call_solve) == ARKLS_SUCCESS;
    // GMRES measures by the root of the sum of squares, which is never below the largest.
    if (ok && e->linear == FMUKIT_KRYLOV) ok = ARKStepSetLSNormFactor(a, 1) == ARKLS_SUCCESS;
    if (ok && e->n_indicators > 0)
        ok = ARKStepRootInit(a, (int)e->n_indicators, call_indicators) == ARK_SUCCESS &&
             ARKStepSetNoInactiveRootWarn(a) == ARK_SUCCESS;
    if (ok && e->max_step > 0) ok = ARKStepSetMaxStep(a, e->max_step) == ARK_SUCCESS;
    return ok;
}

static void tell_no_memory(fmukit_instance *fmu, const fmukit_equations *e)
{
    fmukit_log(fmu, FMUKIT_ERROR, NULL, "out of memory for a solver of %lu unknowns",
               (unsigned long)e->n);
}

// Runs a job that calls SUNDIALS. False: out of memory.
static bool try(fmukit_solver *own, void (*job)(void *data), void *data)
{
    if (!own->is_out_of_memory && fmukit_memory_try(&own->memory, job, data)) return true;
    own->is_out_of_memory = true;
    tell_no_memory(own->fmu, &own->equations);
    return false;
}

// Of the states, the linear solver, and ARKODE itself.
static void make_parts(void *data)
{
    fmukit_solver *own = data;
    sunindextype n = (sunindextype)own->equations.n;
    if (SUNContext_Create(NULL, &own->context) != 0) return;
    own->states = N_VMake_Serial(n, own->x, own->context);
    if (own->states) fmukit_vector_equip(own->states); // those of ARKODE are clones of it
    own->absolute = N_VNew_Serial(n, own->context);
    own->work = N_VNew_Serial(n, own->context);
    own->weights = N_VNew_Serial(n, own->context);
    own->is_made = own->states && own->absolute && own->work && own->weights && set_up(own);
}

static bool make(fmukit_solver *own)
{
    const fmukit_equations *e = &own->equations;
    own->x = fmukit_alloc(own->fmu, e->n, sizeof *own->x);
    if (own->x) own->nominals = fmukit_alloc(own->fmu, e->n, sizeof *own->nominals);
    if (!own->nominals) return false;
    for (size_t i = 0; i < e->n; i++) {
        double nominal = e->nominals ? fabs(e->nominals[i]) : 1;
        own->nominals[i] = nominal > 0 && isfinite(nominal) ? nominal : 1;
    }
    own->equations.nominals = own->nominals;
    if (!try(own, make_parts, own)) return false;
    if (!own->is_made) fmukit_log(own->fmu, FMUKIT_ERROR, NULL, "the solver cannot be made");
    return own->is_made;
}

fmukit_solver *fmukit_solver_create(fmukit_instance *fmu, void *model,
                                    const fmukit_equations *equations)
{
    if (!is_complete(equations)) {
        fmukit_log(fmu, FMUKIT_ERROR, NULL,
                   "the equations for the solver are not complete: they need unknowns, `rates`, "
                   "`indicators` where there are any, and `prepare` together with `solve`, which "
                   "FMUKIT_OWN must have and FMUKIT_KRYLOV may have");
        return NULL;
    }
    fmukit_solver *own = fmukit_alloc(fmu, 1, sizeof *own);
    if (own) {
        own->fmu = fmu;
        own->model = model;
        own->equations = *equations;
    }
    if (own && make(own)) return own;
    if (!own || !own->nominals) tell_no_memory(fmu, equations);
    fmukit_solver_destroy(own);
    return NULL;
}

static void destroy_parts(void *data)
{
    fmukit_solver *own = data;
    if (own->arkode) ARKStepFree(&own->arkode);
    if (own->linear) SUNLinSolFree(own->linear);
    if (own->matrix) SUNMatDestroy(own->matrix);
    if (own->states) N_VDestroy(own->states);
    if (own->absolute) N_VDestroy(own->absolute);
    if (own->work) N_VDestroy(own->work);
    if (own->weights) N_VDestroy(own->weights);
    if (own->context) SUNContext_Free(&own->context);
}

void fmukit_solver_destroy(fmukit_solver *own)
{
    if (!own) return;
    if (own->is_out_of_memory || !fmukit_memory_try(&own->memory, destroy_parts, own))
        fmukit_memory_clear(&own->memory);
    else
        fmukit_memory_end(&own->memory);
    fmukit_free(own->fmu, own->nominals);
    fmukit_free(own->fmu, own->x);
    fmukit_free(own->fmu, own);
}

// ---- what is carried -------------------------------------------------------------------------------

double *fmukit_solver_states(fmukit_solver *own)
{
    return own->x;
}

double *fmukit_solver_size(fmukit_solver *own)
{
    return &own->h;
}

void fmukit_solver_stop(fmukit_solver *own)
{
    own->stops = true;
}

bool fmukit_solver_fits(const fmukit_solver *own, size_t n, size_t n_indicators)
{
    return own->equations.n == n && own->equations.n_indicators == n_indicators;
}

void fmukit_solver_restart(fmukit_solver *own)
{
    own->h = 0;
}

void fmukit_solver_state(fmukit_stream *s, fmukit_solver *own)
{
    double h = own->h;
    fmukit_real(s, &h);
    fmukit_reals(s, own->x, own->equations.n);
    if (!fmukit_is_loading(s)) return;
    if (isfinite(h) && h >= 0)
        own->h = h;
    else
        fmukit_refuse(s, "the step size of its solver makes no sense");
}

fmukit_solver_counts fmukit_solver_count(const fmukit_solver *own)
{
    return own->counts;
}

// ---- steps -----------------------------------------------------------------------------------------

static double tolerance_of(const fmukit_solver *own)
{
    const fmukit_instance *fmu = own->fmu;
    double wanted = fmu->tolerance > 0          ? fmu->tolerance
                    : fmu->model->tolerance > 0 ? fmu->model->tolerance
                                                : 1e-6;
    return fmax(SHARE * wanted, 1e-12);
}

// From the states and the step size alone.
static int begin(fmukit_solver *own, double t, double t_end)
{
    double tolerance = tolerance_of(own);
    double *absolute = N_VGetArrayPointer(own->absolute);
    for (size_t i = 0; i < own->equations.n; i++) absolute[i] = 0.01 * tolerance * own->nominals[i];
    int code = ARKStepReInit(own->arkode, NULL, call_rates, t, own->states);
    if (code >= 0) code = ARKStepSVtolerances(own->arkode, tolerance, own->absolute);
    if (code >= 0) code = ARKStepSetStopTime(own->arkode, t_end);
    if (code >= 0) code = ARKStepSetInitStep(own->arkode, fmin(own->h, t_end - t));
    own->t_from = own->t_to = t;
    own->failure = FMUKIT_OK;
    own->stops = false;
    return code;
}

// The size that the error of the latest step allows. ARKODE knows one, too, but cuts it at the end of the communication
// step. A step that was cut itself says only that a longer one than planned may do.
static void choose_size(fmukit_solver *own, double planned)
{
    double last = 0;
    ARKStepGetLastStep(own->arkode, &last);
    ARKStepGetEstLocalErrors(own->arkode, own->work);
    ARKStepGetErrWeights(own->arkode, own->weights);
    double error = fmukit_vector_norm(own->work, own->weights);
    double next = last * fmin(MOST, fmax(LEAST, SAFETY * pow(fmax(error, 1e-10), -0.25)));
    bool is_cut = last < 0.999 * planned && next > last;
    own->h = is_cut ? fmax(planned, next) : next;
}

static void add_counts(fmukit_solver *own)
{
    long steps = 0, attempts = 0, setups = 0, iterations = 0;
    ARKStepGetNumSteps(own->arkode, &steps);
    ARKStepGetNumStepAttempts(own->arkode, &attempts);
    ARKStepGetNumLinSolvSetups(own->arkode, &setups);
    if (own->equations.linear == FMUKIT_KRYLOV) ARKStepGetNumLinIters(own->arkode, &iterations);
    own->counts.steps += steps;
    own->counts.rejected += attempts - steps;
    own->counts.setups += setups;
    own->counts.linear_iterations += iterations;
}

// States at a time within the latest internal step.
typedef struct look {
    fmukit_solver *own;
    double t, *x;
    int code;
} look;

static void look_there(void *data)
{
    look *at = data;
    const fmukit_solver *own = at->own;
    N_Vector out = N_VMake_Serial((sunindextype)own->equations.n, at->x, own->context);
    if (!out) return;
    at->code = ARKStepGetDky(own->arkode, at->t, 0, out);
    N_VDestroy(out);
}

fmukit_status fmukit_solver_at(fmukit_solver *own, double t, double *x)
{
    if (!(t >= own->t_from && t <= own->t_to)) return FMUKIT_ERROR;
    look at = {own, t, x, ARK_MEM_FAIL};
    return try(own, look_there, &at) && at.code == ARK_SUCCESS ? FMUKIT_OK : FMUKIT_ERROR;
}

// One internal step.
static int go_on(fmukit_solver *own, double t_end, double *t)
{
    double planned = own->h;
    own->t_from = *t;
    int code = ARKStepEvolve(own->arkode, t_end, own->states, t, ARK_ONE_STEP);
    if (code < 0) return code;
    own->t_to = *t;
    choose_size(own, planned);
    const fmukit_equations *e = &own->equations;
    if (!e->completed) return code;
    int answer = code_of(own, e->completed(own->fmu, own->model, *t));
    return answer == 0 && !own->is_out_of_memory ? code : ARK_RHSFUNC_FAIL;
}

// A communication step.
typedef struct advance {
    fmukit_solver *own;
    double t, t_end;
    bool is_event;
    int code;
    char reason[40]; // that the code is
} advance;

static void go_to_end(void *data)
{
    advance *at = data;
    fmukit_solver *own = at->own;
    at->code = begin(own, at->t, at->t_end);
    while (at->code >= 0 && !at->is_event && at->t < at->t_end) {
        at->code = go_on(own, at->t_end, &at->t);
        at->is_event = at->code == ARK_ROOT_RETURN || own->stops;
    }
    add_counts(own);
    if (at->code >= 0) return;
    char *name = ARKStepGetReturnFlagName(at->code);
    snprintf(at->reason, sizeof at->reason, "%s", name);
    fmukit_sundials_free(name);
}

static fmukit_status fail(const advance *at)
{
    const fmukit_solver *own = at->own;
    if (own->failure != FMUKIT_OK) return own->failure; // the author's function has said why
    fmukit_log(own->fmu, FMUKIT_ERROR, NULL, "the solver gets no further at time %.15g (%s)", at->t,
               at->reason);
    return FMUKIT_ERROR;
}

fmukit_status fmukit_solver_advance(fmukit_solver *own, double t, double t_end)
{
    advance at = {.own = own, .t = t, .t_end = t_end};
    if (!try(own, go_to_end, &at)) return FMUKIT_ERROR;
    if (at.code < 0) return fail(&at);
    fmukit_inputs_at(own->fmu, at.t);
    if (!at.is_event) return FMUKIT_OK;
    own->h *= AFTER_EVENT; // all may be different there
    fmukit_stopped_at(own->fmu, at.t);
    return FMUKIT_EVENT;
}
