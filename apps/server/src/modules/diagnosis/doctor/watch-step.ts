import { type Facts, type Found, found, type Step } from './facts.ts'

/** Names in one finding. */
const NAMES = 5

/** Whether triggers watch the device, what they say of it, and why one of them says nothing. */
export function alarmsStep({ watch, device }: Facts): Step {
  const all: Found[] = []
  const { maintenance, alarms, triggers } = watch ?? { maintenance: null, alarms: null, triggers: null }
  if (alarms && alarms.open > 0)
    all.push(
      found('alarms_open', {
        severity: 'warning',
        at: alarms.at,
        params: { count: alarms.open, level: alarms.level, names: alarms.names.slice(0, NAMES) },
        fixes: ['open_alarms'],
      }),
    )
  for (const [cause, stopped] of [
    ['trigger_error', triggers?.failing ?? []],
    ['trigger_paused', triggers?.paused ?? []],
  ] as const)
    if (stopped.length > 0)
      all.push(
        found(cause, {
          severity: 'warning',
          params: {
            count: stopped.length,
            names: stopped.slice(0, NAMES).map(({ name }) => name),
            why: stopped[0]!.why,
          },
          fixes: ['open_triggers'],
        }),
      )
  if (maintenance)
    all.push(
      found('in_maintenance', {
        severity: 'warning',
        at: maintenance.since,
        params: { until: maintenance.until, reason: maintenance.reason },
        fixes: ['open_alarms'],
      }),
    )
  all.push(...camerasFound(device.cameras))
  return {
    facts: { triggers: triggers?.judged ?? null, openAlarms: alarms?.open ?? null },
    found: all,
    passed: (triggers?.judged ?? 0) > 0,
  }
}

/** Cameras at the device that show nothing: because their vendor's account does not answer, or because they are offline. */
function camerasFound(cameras: Facts['device']['cameras']): Found[] {
  const refused = cameras.filter(({ account }) => account !== null && account.state !== 'ok' && account.fault !== null)
  const offline = cameras.filter(camera => camera.state === 'offline' && !refused.includes(camera))
  const names = (some: typeof cameras) => some.slice(0, NAMES).map(({ name }) => name)
  const fixes: Found['fixes'] = ['open_cameras']
  const first = refused[0]?.account
  return [
    ...(first
      ? [
          found('camera_account', {
            severity: 'warning',
            params: {
              count: refused.length,
              names: names(refused),
              account: first.name,
              text: `${first.fault!.code} ${first.fault!.text}`.trim(),
            },
            fixes,
          }),
        ]
      : []),
    ...(offline.length > 0
      ? [
          found('camera_offline', {
            severity: 'warning',
            params: { count: offline.length, names: names(offline) },
            fixes,
          }),
        ]
      : []),
  ]
}
