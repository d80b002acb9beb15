// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { company } from './testing/company.ts'
import { openConsole } from './testing/open-console.tsx'

const LOOK = 'POST /api/v1/public/alarm-links/look'

it.each(['', '#cut-off'])('says that the link of an alarm is not complete, and asks nothing: “%s”', async hash => {
  const opened = await openConsole(`/alonePage/Acknowledge${hash}`, company)
  await expect.poll(opened.text).toContain('This link is not complete')
  expect(opened.requests).not.toContain(LOOK)
})

it('shows the alarm of a whole link', async () => {
  const opened = await openConsole(`/alonePage/Acknowledge#${'a'.repeat(43)}`, {
    ...company,
    [LOOK]: () => ({
      state: 'open',
      triggerName: 'Too hot',
      deviceName: 'Boiler',
      level: 4,
      raisedAt: '2026-01-01T00:00:00.000Z',
      active: true,
      acknowledgedName: null,
      acknowledgedAt: null,
    }),
  })
  await expect.poll(opened.text).toContain('Boiler')
  expect(opened.requests).toContain(LOOK)
})
