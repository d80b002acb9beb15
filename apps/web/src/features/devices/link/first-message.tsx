import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { useLiveTopic } from '../../../lib/live-socket.ts'
import { useMay } from '../../../lib/permissions.ts'
import { withDiagnosis } from '../diagnose/load.ts'
import css from './link.module.css'

const DoctorHint = lazy(async () => ({
  default: (await withDiagnosis(import('../diagnose/doctor-hint.tsx'))).DoctorHint,
}))

/** A device that was just switched on takes some seconds; then the doctor has a word. */
const PATIENCE_MS = 15_000

/** Of so many lines of a log that was empty a moment ago, one is the message. */
const LOOKED_AT = 20

interface Seen {
  connected: boolean
  message: { ts: number; words: string; refused: boolean } | null
}

const isMessage = (kind: unknown) => kind !== 'online' && kind !== 'offline' && kind !== 'command'

/** A light that shows a device arriving while one watches: connected, first message, refused with its reason. */
export function FirstMessage({ device }: { device: Pick<DeviceView, 'id' | 'link' | 'lifecycle'> }) {
  const { t } = useTranslation('devices')
  const mayWatch = useMay('telemetry.messages')
  const [seen, setSeen] = useState<Seen>({ connected: device.link === 'online', message: null })
  useLiveTopic(`device/${device.id}/state`, event => {
    const link =
      event.type === 'snapshot'
        ? (event.snapshot as { link?: unknown } | null)?.link
        : event.type === 'patch'
          ? event.patch.link
          : undefined
    if (link !== undefined) setSeen(before => ({ ...before, connected: link === 'online' }))
  })
  // Nothing had come of it when the page was opened.
  const untouched = useRef(device.lifecycle === 'inactive')
  const take = (ts: number, { kind, values, refusedReason }: Record<string, unknown>) => {
    const refused = kind === 'refused'
    const words = refused ? String(refusedReason ?? '') : JSON.stringify(values ?? {})
    setSeen({ connected: true, message: { ts, words, refused } })
  }
  useLiveTopic(mayWatch ? `device/${device.id}/messages` : null, event => {
    if (event.type === 'patch' && isMessage(event.patch.kind)) {
      untouched.current = false
      take(event.ts, event.patch)
    }
    // What was quicker than the live connection stands in the log only.
    if (event.type === 'snapshot' && untouched.current)
      call('telemetry.messages', { params: { id: device.id }, query: { limit: LOOKED_AT } })
        .then(({ items }) => {
          const newest = items.find(({ kind }) => isMessage(kind))
          if (newest && untouched.current) take(newest.ts, newest)
        })
        .catch(() => undefined)
  })
  const { message } = seen
  // A refused message speaks for itself, a device that does not come is asked about.
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [])
  const state = message ? (message.refused ? 'refused' : 'received') : seen.connected ? 'connected' : 'waiting'
  return (
    <>
      <div className={css.light} data-state={state} role="status" data-testid="first-message">
        <span className={css.lamp} aria-hidden="true" />
        <span className={css.lightText}>
          <b>{t(`light.${state}`)}</b>
          {message ? (
            <span>
              {formatDateTime(message.ts)} · <code>{message.words.slice(0, 160)}</code>
            </span>
          ) : (
            <span>{t(`lightText.${state}`)}</span>
          )}
        </span>
      </div>
      <Suspense>{slow && state !== 'received' && <DoctorHint device={device} />}</Suspense>
    </>
  )
}
