import type { DeviceView } from '@thingwright/contracts/devices.contract'
import type { SimulatedAction } from '@thingwright/contracts/diagnosis.contract'
import { useCallback, useEffect, useRef, useState } from 'react'
import { call } from '../../../lib/api-client.ts'
import { showError } from '../../../lib/errors.ts'
import { useLiveTopic } from '../../../lib/live-socket.ts'

/** A little more often than the gateway's patience with a simulated device that does nothing. */
const KEEP_MS = 60_000

export interface Simulator {
  on: boolean
  busy: boolean
  /** What became of the last message; the reason is null when it was taken. */
  last: { reason: string | null } | null
  /** True when the platform took it. */
  act(action: SimulatedAction): Promise<boolean>
}

/** The simulated session of a device: opened and held by the page that shows it, ended when the page is left. */
export function useSimulator(device: Pick<DeviceView, 'id'>): Simulator {
  const { id } = device
  const [on, setOn] = useState(false)
  const [busy, setBusy] = useState(false)
  const [last, setLast] = useState<Simulator['last']>(null)
  const open = useRef(false)
  open.current = on

  const act = useCallback(
    async (action: SimulatedAction) => {
      const opening = action.kind === 'open' || action.kind === 'close'
      if (opening) setBusy(true)
      try {
        const { outcome, reason } = await call('diagnosis.simulate', { params: { id }, body: action })
        setOn(outcome !== 'closed')
        setLast(opening ? null : { reason: outcome === 'refused' ? (reason ?? '') : null })
        return outcome !== 'refused'
      } catch (error) {
        if (!opening || action.kind === 'open') setOn(false)
        showError(error)
        return false
      } finally {
        if (opening) setBusy(false)
      }
    },
    [id],
  )
  // The real device took its place, or it was silent for too long.
  // Followed from the beginning: a subscription made in the very moment of coming online would ask for a state that is
  // not written yet, and show that to everybody on the page.
  useLiveTopic(`device/${id}/state`, event => {
    if (event.type === 'patch' && event.patch.link === 'offline') setOn(false)
  })
  useEffect(() => {
    if (!on) return
    const keep = setInterval(() => {
      call('diagnosis.simulate', { params: { id }, body: { kind: 'open' } }).catch(() => setOn(false))
    }, KEEP_MS)
    return () => clearInterval(keep)
  }, [on, id])
  useEffect(
    () => () => {
      if (open.current)
        void call('diagnosis.simulate', { params: { id }, body: { kind: 'close' } }).catch(() => undefined)
    },
    [id],
  )
  return { on, busy, last, act }
}
