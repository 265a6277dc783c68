#include "tuner/devices/emulator/control_flow.h"

#include <stdlib.h>
#include <string.h>

/* Whether control may go on to the next instruction. */
static bool falls_through(const struct instruction *i)
{
    return (i->action != ACTION_BRANCH && i->action != ACTION_EXIT) || i->guard != PLACE_NONE;
}

static bool ends_block(const struct instruction *i)
{
    return i->action == ACTION_BRANCH || i->action == ACTION_EXIT;
}

static void add_successors(struct flow *f, const struct program *p, struct flow_block *b)
{
    const struct instruction *last = &p->code[b->last];
    int count = 0;
    b->successors[0] = b->successors[1] = -1;
    if (falls_through(last) && b->last + 1 < p->code_count)
        b->successors[count++] = f->block_of[b->last + 1];
    if (last->action == ACTION_BRANCH)
        b->successors[count] = f->block_of[last->target];
}

struct flow flow_of(const struct program *p)
{
    struct flow f = {.block_of = must_calloc((size_t)p->code_count, sizeof(int))};
    bool *leader = must_calloc((size_t)p->code_count + 1, sizeof *leader);
    leader[0] = true;
    for (int i = 0; i < p->code_count; i++) {
        if (p->code[i].action == ACTION_BRANCH)
            leader[p->code[i].target] = true;
        if (ends_block(&p->code[i]))
            leader[i + 1] = true;
    }
    for (int i = 0; i < p->code_count; i++)
        f.count += leader[i];
    f.blocks = must_calloc((size_t)f.count, sizeof *f.blocks);
    int b = -1;
    for (int i = 0; i < p->code_count; i++) {
        if (leader[i])
            f.blocks[++b].first = i;
        f.blocks[b].last = i;
        f.block_of[i] = b;
    }
    for (b = 0; b < f.count; b++)
        add_successors(&f, p, &f.blocks[b]);
    free(leader);
    return f;
}

void flow_clear(struct flow *f)
{
    free(f->blocks);
    free(f->block_of);
}

/* Immediate post-dominators by the iteration of Cooper, Harvey and Kennedy, on the graph turned round; the
   virtual exit is node `count`. */
struct post_dominance {
    const struct flow *flow;
    int *parent; /* of each node in the tree; -1 while unknown */
    int *order;  /* of each node: larger is nearer to the exit */
};

static bool leaves(const struct program *p, const struct flow_block *b)
{
    return p->code[b->last].action == ACTION_EXIT;
}

static int meet(const struct post_dominance *d, int a, int b)
{
    while (a != b) {
        while (d->order[a] < d->order[b])
            a = d->parent[a];
        while (d->order[b] < d->order[a])
            b = d->parent[b];
    }
    return a;
}

/* The graph turned round: the sources of node n are sources[first[n]] to sources[first[n + 1] - 1]. */
struct predecessors {
    int *first, *sources; /* owned */
};

/* Calls for every edge: with `to` NULL it is counted at first[target + 1], else its source goes to
 * to[target]++. */
static void each_edge(const struct flow *f, const struct program *p, struct predecessors *r, int *to)
{
    for (int b = 0; b < f->count; b++) {
        int targets[3] = {f->blocks[b].successors[0], f->blocks[b].successors[1],
                          leaves(p, &f->blocks[b]) ? f->count : -1};
        for (int t = 0; t < 3; t++) {
            if (targets[t] < 0)
                continue;
            if (to == NULL)
                r->first[targets[t] + 1]++;
            else
                r->sources[to[targets[t]]++] = b;
        }
    }
}

static struct predecessors predecessors_of(const struct flow *f, const struct program *p)
{
    size_t nodes = (size_t)f->count + 1;
    struct predecessors r = {.first = must_calloc(nodes + 1, sizeof(int))};
    each_edge(f, p, &r, NULL);
    for (size_t n = 0; n < nodes; n++)
        r.first[n + 1] += r.first[n];
    r.sources = must_malloc(((size_t)r.first[nodes] + 1) * sizeof(int));
    int *to = must_malloc(nodes * sizeof(int));
    memcpy(to, r.first, nodes * sizeof(int));
    each_edge(f, p, &r, to);
    free(to);
    return r;
}

/* Numbers the nodes that reach the exit in post-order of the graph turned round, without recursion; the
   others get -1. */
static void number_nodes(const struct flow *f, const struct program *p, int *order)
{
    size_t nodes = (size_t)f->count + 1;
    struct predecessors r = predecessors_of(f, p);
    int number = 0, depth = 0, *stack = must_malloc(nodes * sizeof(int)),
        *next = must_malloc(nodes * sizeof(int));
    memcpy(next, r.first, nodes * sizeof(int));
    for (size_t n = 0; n < nodes; n++)
        order[n] = -1;
    stack[depth++] = f->count;
    order[f->count] = 0; /* seen */
    while (depth > 0) {
        int node = stack[depth - 1];
        if (next[node] == r.first[node + 1]) {
            order[node] = ++number;
            depth--;
            continue;
        }
        int source = r.sources[next[node]++];
        if (order[source] < 0) {
            order[source] = 0;
            stack[depth++] = source;
        }
    }
    free(r.first);
    free(r.sources);
    free(stack);
    free(next);
}

static void find_parents(struct post_dominance *d, const struct program *p)
{
    int n = d->flow->count;
    int *sequence = must_malloc(((size_t)n + 2) * sizeof(int));
    for (int b = 0; b <= n + 1; b++)
        sequence[b] = -1;
    for (int b = 0; b <= n; b++)
        if (d->order[b] > 0)
            sequence[d->order[b]] = b;
    d->parent[n] = n;
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = n + 1; k >= 1; k--) {
            int b = sequence[k];
            if (b < 0 || b == n)
                continue;
            int parent = leaves(p, &d->flow->blocks[b]) ? n : -1;
            for (int s = 0; s < 2; s++) {
                int successor = d->flow->blocks[b].successors[s];
                if (successor >= 0 && d->order[successor] > 0 && d->parent[successor] >= 0)
                    parent = parent < 0 ? successor : meet(d, parent, successor);
            }
            if (parent >= 0 && parent != d->parent[b]) {
                d->parent[b] = parent;
                changed = true;
            }
        }
    }
    free(sequence);
}

void flow_set_joins(const struct flow *f, struct program *p)
{
    size_t nodes = (size_t)f->count + 1;
    struct post_dominance d = {
        .flow = f, .parent = must_malloc(nodes * sizeof(int)), .order = must_malloc(nodes * sizeof(int))};
    for (size_t b = 0; b < nodes; b++)
        d.parent[b] = -1;
    number_nodes(f, p, d.order);
    find_parents(&d, p);
    for (int b = 0; b < f->count; b++) {
        struct instruction *last = &p->code[f->blocks[b].last];
        if (last->action != ACTION_BRANCH)
            continue;
        int parent = d.order[b] > 0 ? d.parent[b] : -1;
        last->join = parent < 0 || parent == f->count ? p->code_count : f->blocks[parent].first;
    }
    free(d.parent);
    free(d.order);
}
