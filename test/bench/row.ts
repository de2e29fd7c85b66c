// Every row of the benchmarks compares ours with the floor, measured in turns in one run.

/** The resources of a row: a durable PostgreSQL for this run, and a temporary folder. */
export type Bench = {
  /** The address of the server, without a user: each connection names its role. */
  postgresUrl: string
  scratch: string
  /**
   * A folder in memory for the sandbox's files, because the disk's own time to open and rename them
   * would count only for our side. The database waits for the disk on both sides.
   */
  memory: string
}

/** The default export of each file in rows/. */
export type Row = (bench: Bench) => Promise<Result[]>

/** A bound on ours divided by the floor; on ours less the floor; or on ours alone. */
export type Bound =
  { atLeast: number } | { atMost: number } | { atMostMore: number } | { oursMax: number }

/** One figure of a row: medians of the rounds, and the median of the rounds' ratios. */
export type Result = {
  what: string
  unit: string
  floor: number
  ours: number
  ratio: number
  bound: Bound
  isMet: boolean
  rounds: { floor: number[]; ours: number[] }
}

export type Rounds<T> = { floor: T[]; ours: T[] }

/** Alternates floor and ours, so that other load on the machine meets both; warms up each once. */
export async function inTurns<T>(
  count: number,
  sides: { floor: () => Promise<T>; ours: () => Promise<T> },
): Promise<Rounds<T>> {
  await sides.floor()
  await sides.ours()
  const rounds: Rounds<T> = { floor: [], ours: [] }
  for (let round = 0; round < count; round++) {
    rounds.floor.push(await sides.floor())
    rounds.ours.push(await sides.ours())
  }
  return rounds
}

/** Decides one figure of all rounds; neighbouring rounds are compared with each other. */
export function decide<T>(
  about: { what: string; unit: string; bound: Bound },
  rounds: Rounds<T>,
  figureOf: (round: T) => number,
): Result {
  const floor = rounds.floor.map(figureOf)
  const ours = rounds.ours.map(figureOf)
  const ratio = median(ours.map((figure, round) => figure / floor[round]!))
  const { bound } = about
  return {
    ...about,
    floor: median(floor),
    ours: median(ours),
    ratio,
    isMet: isMet(bound, ratio, floor, ours),
    rounds: { floor, ours },
  }
}

function isMet(bound: Bound, ratio: number, floor: number[], ours: number[]): boolean {
  if ('atLeast' in bound) return ratio >= bound.atLeast
  if ('atMost' in bound) return ratio <= bound.atMost
  if ('oursMax' in bound) return median(ours) <= bound.oursMax
  return median(ours.map((figure, round) => figure - floor[round]!)) <= bound.atMostMore
}

export function median(figures: number[]): number {
  const sorted = figures.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
