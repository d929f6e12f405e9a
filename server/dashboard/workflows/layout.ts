import { Graph, layout } from '@dagrejs/dagre'
import { inOrder, type Outlet, outletsOf, type Step, type Workflow } from './graph.ts'

/** The width of a step, in pixels; one of many branches is wider. */
const WIDTH = 264
/** The height of a step's card. */
const CARD = { start: 78, step: 130 }
/** The height of what is below a card: where to add a step, and the names of its branches. */
const FOOT = { one: 40, branches: 62 }
/** The least width of a branch. */
const BRANCH = 132

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Line {
  readonly id: string
  readonly outlet: Outlet
  readonly toStepId: string
  /** As SVG writes a path. */
  readonly path: string
  readonly end: { readonly x: number; readonly y: number }
}

export interface Layout {
  /** In the order in which one meets them. */
  readonly steps: readonly Step[]
  readonly boxes: ReadonlyMap<string, Box>
  readonly outlets: ReadonlyMap<string, readonly Outlet[]>
  readonly lines: readonly Line[]
  readonly width: number
  readonly height: number
}

/** Where each step stands, from the start down, and how the lines between them run. */
export function layoutOf(workflow: Workflow): Layout {
  const steps = inOrder(workflow)
  const outlets = new Map(steps.map((step) => [step.id, outletsOf(workflow, step)]))
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'TB', nodesep: 36, ranksep: 44, edgesep: 24, rankalign: 'top' })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const step of steps) {
    // the start has nothing but its name, and the goal where there is one
    const card = step.type === 'TRIGGER' && workflow.goal === undefined ? CARD.start : CARD.step
    graph.setNode(step.id, sizeOf(card, outlets.get(step.id) ?? []))
  }
  const ends = [...outlets.values()].flat().flatMap(({ way, ...outlet }) => (way ? [{ ...outlet, way }] : []))
  const arriving = Map.groupBy(ends, ({ way }) => way.toStepId)
  for (const { from, branch, way } of ends) {
    // a step stands close to the one before it rather than to where branches meet
    const weight = arriving.get(way.toStepId)?.length === 1 ? 3 : 1
    graph.setEdge(from, way.toStepId, { weight }, branch)
  }
  // the branches stay in their order, the first one at the left
  layout(graph, { disableOptimalOrderHeuristic: true })
  const boxes = new Map(
    steps.map(({ id }) => {
      const { x = 0, y = 0, width, height } = graph.node(id)
      return [id, { x: x - width / 2, y: y - height / 2, width, height }]
    }),
  )
  const lines = ends.flatMap((outlet): readonly Line[] => {
    const { from, branch, way } = outlet
    const [source, target] = [boxes.get(from), boxes.get(way.toStepId)]
    if (source === undefined || target === undefined) return []
    const { points = [] } = graph.edge(from, way.toStepId, branch)
    const start = outletAt(source, outlets.get(from) ?? [], branch)
    const end = { x: target.x + target.width / 2, y: target.y }
    // it begins at the card, and is covered by what stands below it
    const card = { x: start.x, y: start.y - footOf(outlets.get(from) ?? []) }
    const path = pathOf([card, start, ...(points.length > 3 ? points.slice(1, -1) : []), end])
    return [{ id: `${way.id} ${branch ?? ''}`, outlet, toStepId: way.toStepId, path, end }]
  })
  const { width = 0, height = 0 } = graph.graph()
  return { steps, boxes, outlets, lines, width, height }
}

/** The size of a step with its ways out. */
function sizeOf(card: number, outlets: readonly Outlet[]) {
  const foot = outlets.length === 0 ? 0 : outlets[0]?.branch === undefined ? FOOT.one : FOOT.branches
  return {
    width: Math.max(WIDTH, outlets.length * BRANCH),
    height: card + foot,
  }
}

function footOf([first]: readonly Outlet[]): number {
  return first === undefined ? 0 : first.branch === undefined ? FOOT.one : FOOT.branches
}

/** Where a line leaves a step. */
function outletAt({ x, y, width, height }: Box, outlets: readonly Outlet[], branch: string | undefined) {
  const at = outlets.findIndex((outlet) => outlet.branch === branch)
  return { x: x + (width * (Math.max(0, at) + 0.5)) / outlets.length, y: y + height }
}

/** A line that leaves and arrives upright, through these points. */
function pathOf(points: readonly { readonly x: number; readonly y: number }[]): string {
  const [first, ...rest] = points.map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) }))
  if (first === undefined) return ''
  let [before, path] = [first, `M${first.x},${first.y}`]
  for (const point of rest) {
    const middle = Math.round((before.y + point.y) / 2)
    path +=
      before.x === point.x
        ? `L${point.x},${point.y}`
        : `C${before.x},${middle} ${point.x},${middle} ${point.x},${point.y}`
    before = point
  }
  return path
}
