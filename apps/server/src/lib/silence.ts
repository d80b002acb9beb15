/** A wait for something that may not come. */
export interface Silence {
  /** They came, or nobody waits any more. */
  end(): void
}

/**
 * Calls back after so long a silence. A process that was held up finds its timer over before it has read what came
 * meanwhile, and that would make a silence of its own delay: so the sockets are read once more first.
 */
export function afterSilence(ms: number, then: () => void): Silence {
  let immediate: NodeJS.Immediate | undefined
  const timer = setTimeout(() => {
    immediate = setImmediate(then)
  }, ms)
  return {
    end() {
      clearTimeout(timer)
      clearImmediate(immediate)
    },
  }
}
