import { useEffect, useRef } from 'react'
import { LiveReads, type Merge } from './live/live-reads.ts'
import { type LiveEvent, liveSocket } from './live-socket.ts'
import { useCache } from './server-state/cache.ts'
import type { Touched } from './server-state/keys.ts'

type Patch = Extract<LiveEvent, { type: 'patch' }>

/**
 * For every page that reads and listens. Follows the topics while the component is mounted and keeps what is read under
 * `touched` complete: wrap the reads in `read` of what is returned.
 * @param topics null entries follow nothing
 * @param hear what a patch means: `again` (only the server can tell), or how it changes an answer that is on its way
 */
export function useLiveReads(
  topics: readonly (string | null)[],
  touched: Touched,
  hear: (event: Patch) => 'again' | Merge | undefined,
): Pick<LiveReads, 'read'> {
  const cache = useCache()
  const followed = topics.filter(topic => topic !== null)
  const latest = useRef({ touched, hear, followed })
  latest.current = { touched, hear, followed }
  const made = useRef<LiveReads | null>(null)
  made.current ??= new LiveReads({
    followed: () => Promise.all(latest.current.followed.map(topic => liveSocket.followed(topic))),
    refresh: () => void cache.touch(latest.current.touched),
    later: work => setTimeout(work, 0),
  })
  const reads = made.current
  const which = followed.join(' ')
  useEffect(() => {
    const take = (event: LiveEvent) => {
      if (event.type === 'snapshot') reads.restart()
      if (event.type !== 'patch') return
      const what = latest.current.hear(event)
      if (what === 'again') reads.readAgain()
      else if (what) reads.merge(what)
    }
    const leave = which === '' ? [] : which.split(' ').map(topic => liveSocket.subscribe(topic, take))
    return () => {
      for (const each of leave) each()
    }
  }, [reads, which])
  return reads
}
