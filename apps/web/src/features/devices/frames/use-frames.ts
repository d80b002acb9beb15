import type { FrameView } from '@thingwright/contracts/diagnosis.contract'
import { useState } from 'react'
import { useLiveTopic } from '../../../lib/live-socket.ts'
import { useMay } from '../../../lib/permissions.ts'
import { frameOf, mergeFrames } from './frame-list.ts'

/** Raw frames of a device: the last hundred at once, the others as they come. Followed while it is on the page. */
export function useFrames(deviceId: string) {
  const mayRead = useMay('diagnosis.frames')
  const [frames, setFrames] = useState<FrameView[]>([])
  const [paused, setPaused] = useState<FrameView[] | null>(null)
  const [missed, setMissed] = useState(0)
  const [clearedTo, setClearedTo] = useState(0)
  useLiveTopic(mayRead ? `device/${deviceId}/frames` : null, event => {
    if (event.type === 'snapshot') {
      const { items } = (event.snapshot ?? {}) as { items?: FrameView[] }
      if (Array.isArray(items)) setFrames(known => mergeFrames(known, items))
    } else if (event.type === 'patch') {
      const frame = frameOf(event.id, event.patch)
      if (frame) setFrames(known => mergeFrames(known, [frame]))
      if (typeof event.patch.missed === 'number' && event.patch.missed > 0)
        setMissed(before => before + (event.patch.missed as number))
    }
  })
  const shown = (paused ?? frames).filter(frame => Number(frame.id) > clearedTo)
  return {
    mayRead,
    frames: shown,
    missed,
    paused: paused !== null,
    pause: () => setPaused(paused === null ? frames : null),
    clear() {
      setClearedTo(Number(frames.at(-1)?.id ?? 0))
      setMissed(0)
      setPaused(null)
    },
  }
}
