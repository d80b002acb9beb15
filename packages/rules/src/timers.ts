/** A moment that somebody waits for. Moving it forward costs nothing: it is put off when its old moment comes. */
export class Timer {
  /** 0: nobody waits. */
  due = 0
  /** Where it stands in the queue; 0: nowhere. */
  queued = 0

  constructor(
    /** Timers of one moment are fired in the order of their names, whatever came before. */
    readonly name: string,
    /** 0 conditions, 1 what follows from them. */
    readonly rank: 0 | 1,
    readonly fire: () => void,
  ) {}
}

interface Entry {
  at: number
  timer: Timer
}

/** Timers by their moment: a binary heap. */
export class Timers {
  private readonly heap: Entry[] = []

  /** Waits for a moment (from 1), in place of the one before. */
  arm(timer: Timer, due: number): void {
    timer.due = due
    if (timer.queued === 0 || due < timer.queued) this.push(timer, due)
  }

  disarm(timer: Timer): void {
    timer.due = 0
  }

  /** The next moment at which something may be due; Infinity: none. */
  get next(): number {
    return this.heap[0]?.at ?? Number.POSITIVE_INFINITY
  }

  /** Takes out all timers of the next moment; those that were put off go back. */
  take(): Timer[] {
    const at = this.next
    const due: Timer[] = []
    while (this.heap.length > 0 && this.heap[0]!.at === at) {
      const { timer } = this.pop()
      // It stands at an earlier place too, or did: this one is of no use.
      if (timer.queued !== at) continue
      timer.queued = 0
      if (timer.due === 0) continue
      if (timer.due > at) this.push(timer, timer.due)
      else {
        timer.due = 0
        due.push(timer)
      }
    }
    if (due.length > 1) due.sort((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    return due
  }

  private push(timer: Timer, at: number): void {
    timer.queued = at
    const { heap } = this
    let i = heap.length
    const entry = { at, timer }
    heap.push(entry)
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (heap[parent]!.at <= at) break
      heap[i] = heap[parent]!
      i = parent
    }
    heap[i] = entry
  }

  private pop(): Entry {
    const { heap } = this
    const top = heap[0]!
    const last = heap.pop()!
    if (heap.length > 0) {
      let i = 0
      for (;;) {
        let child = 2 * i + 1
        if (child >= heap.length) break
        if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child++
        if (heap[child]!.at >= last.at) break
        heap[i] = heap[child]!
        i = child
      }
      heap[i] = last
    }
    return top
  }
}
