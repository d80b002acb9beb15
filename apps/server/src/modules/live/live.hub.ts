/** One update of a topic: a merged patch of one object. */
export interface LivePatch {
  type: 'patch' | 'removed'
  id: string
  patch: Record<string, unknown>
  ts: number
}

/** Where a subscriber's words go. */
export interface LiveSink {
  send(message: object): void
  /** Bytes not yet taken by the network: a slow browser gets merged updates, not a growing queue. */
  backlog(): number
}

export interface LiveHub {
  subscribe(topic: string, sink: LiveSink): void
  unsubscribe(topic: string, sink: LiveSink): void
  drop(sink: LiveSink): void
  publish(topic: string, patch: LivePatch): void
  /** Sends something at once to all subscribers of a topic (fresh snapshots, revocations). */
  broadcast(topic: string, message: object): void
  watched(topic: string): boolean
  /** Topics with subscribers that begin with the text. */
  topics(prefix: string): string[]
  size(): number
}

/** At most 5 updates a second per topic (interfaces.md §3), merged, the last one always delivered. */
const MOST = 5
const SECOND_MS = 1_000
/** So many of them are sent without a wait: a topic on which little happens is as quick as it can be. */
const AT_ONCE = 3
/** Time between further ones. */
const INTERVAL_MS = 200
/** A sink that lags this far behind is skipped until it has caught up. */
const MAX_BACKLOG = 1_048_576

interface Topic {
  sinks: Set<LiveSink>
  pending: Map<string, LivePatch>
  /** When it sent last, at most {@link MOST} times, the oldest first. */
  sentAt: number[]
  timer: NodeJS.Timeout | null
}

/** @returns ms until the next update may be sent; 0 or less: now */
function waitOf(sentAt: readonly number[], now: number): number {
  const lately = sentAt.filter(at => at > now - SECOND_MS)
  const after = lately.length < AT_ONCE ? 0 : lately.at(-1)! + INTERVAL_MS - now
  const inWindow = lately.length < MOST ? 0 : lately[0]! + SECOND_MS - now
  // A clock that was set back holds nothing up for long.
  return Math.min(Math.max(after, inWindow), SECOND_MS)
}

/** @param onWatched told when a topic gets its first subscriber and when it loses its last */
export function createLiveHub(
  now: () => number = Date.now,
  onWatched: (topic: string, watched: boolean) => void = () => undefined,
): LiveHub {
  const topics = new Map<string, Topic>()

  function flush(name: string, topic: Topic): void {
    topic.timer = null
    if (topic.pending.size === 0) return
    topic.sentAt.push(now())
    if (topic.sentAt.length > MOST) topic.sentAt.shift()
    let skipped = false
    const messages = [...topic.pending.values()].map(patch => ({ topic: name, ...patch }))
    for (const sink of topic.sinks) {
      if (sink.backlog() > MAX_BACKLOG) {
        skipped = true
        continue
      }
      for (const message of messages) sink.send(message)
    }
    // A skipped sink keeps the merged state pending: it gets the last values when it has caught up.
    if (skipped) topic.timer = setTimeout(flush, INTERVAL_MS, name, topic)
    else topic.pending.clear()
  }

  function remove(name: string, sink: LiveSink): void {
    const topic = topics.get(name)
    if (!topic) return
    topic.sinks.delete(sink)
    if (topic.sinks.size === 0) {
      if (topic.timer) clearTimeout(topic.timer)
      topics.delete(name)
      onWatched(name, false)
    }
  }

  return {
    subscribe(name, sink) {
      let topic = topics.get(name)
      if (!topic) {
        topic = { sinks: new Set(), pending: new Map(), sentAt: [], timer: null }
        topics.set(name, topic)
        onWatched(name, true)
      }
      topic.sinks.add(sink)
    },
    unsubscribe: remove,
    drop(sink) {
      for (const name of [...topics.keys()]) remove(name, sink)
    },
    publish(name, patch) {
      const topic = topics.get(name)
      if (!topic) return
      const earlier = topic.pending.get(patch.id)
      topic.pending.set(
        patch.id,
        earlier && earlier.type === 'patch' && patch.type === 'patch'
          ? { ...patch, patch: { ...earlier.patch, ...patch.patch } }
          : patch,
      )
      if (topic.timer) return
      const wait = waitOf(topic.sentAt, now())
      if (wait <= 0) flush(name, topic)
      else topic.timer = setTimeout(flush, wait, name, topic)
    },
    broadcast(name, message) {
      for (const sink of topics.get(name)?.sinks ?? []) sink.send(message)
    },
    watched: name => topics.has(name),
    topics: prefix => [...topics.keys()].filter(name => name.startsWith(prefix)),
    size: () => topics.size,
  }
}
