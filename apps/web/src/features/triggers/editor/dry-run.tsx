import type { DryRunView } from '@thingwright/contracts/triggers.contract'
import { Button, Segmented } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatDuration, formatNumber } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { Panel } from '../../../ui/panel.tsx'
import { FormAlert } from '../../../ui/schema-form/form-drawer.tsx'
import { AlarmTag } from '../../../ui/status-tag.tsx'
import { type Draft, missingOfRule, ruleOf } from '../draft.ts'
import type { ScopeModel } from '../hooks.ts'
import css from '../triggers.module.css'

const DryRunCurve = lazy(async () => ({ default: (await import('./dry-run-curve.tsx')).DryRunCurve }))

const DAY = 86_400_000
const SPANS = ['now', 'day', 'week', 'month'] as const
type Span = (typeof SPANS)[number]
const LENGTH: Record<Exclude<Span, 'now'>, number> = { day: DAY, week: 7 * DAY, month: 30 * DAY }
const ROWS = 50

/** What the trigger says of the last values, or would have done in the past; it acts on nothing. */
export function DryRun({ draft, model }: { draft: Draft; model: ScopeModel }) {
  const { t } = useTranslation('triggers')
  const [span, setSpan] = useState<Span>('week')
  const [shown, setShown] = useState<{ view: DryRunView; draft: Draft } | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const act = useAct('triggers.dryRun', { own: false, notice: false })
  const missing = missingOfRule(draft)
  if (!useMay('triggers.dryRun')) return null
  const run = async () => {
    setFailure(null)
    const now = serverNow()
    try {
      const view = await act.send({
        body: { trigger: ruleOf(draft), ...(span === 'now' ? {} : { from: now - LENGTH[span], to: now }) },
      })
      setShown({ view, draft })
    } catch (error) {
      setShown(null)
      setFailure(error)
    }
  }
  return (
    <Panel title={t('dryRun.title')} hint={t('dryRun.hint')}>
      <div className={css.stack} data-testid="dry-run">
        <Segmented
          aria-label={t('dryRun.span')}
          block
          value={span}
          options={SPANS.map(value => ({ value, label: t(`dryRun.spans.${value}`) }))}
          onChange={setSpan}
        />
        <Button block disabled={missing.length > 0} loading={act.pending} onClick={() => void run()}>
          {t('dryRun.run')}
        </Button>
        {missing.length > 0 && <p className={css.quiet}>{t('dryRun.missing')}</p>}
        {failure !== null && <FormAlert error={failure} />}
        {shown && (
          <>
            {shown.draft !== draft && <p className={css.quiet}>{t('dryRun.changed')}</p>}
            <Result view={shown.view} draft={shown.draft} model={model} />
          </>
        )}
      </div>
    </Panel>
  )
}

function Result({ view, draft, model }: { view: DryRunView; draft: Draft; model: ScopeModel }) {
  const { t } = useTranslation('triggers')
  const ofNow = view.from === view.to
  if (view.missing.includes('moments')) return <p role="status">{t('dryRun.objects.moment')}</p>
  const count = view.alarms.length + view.moreAlarms
  const first = view.alarms.find(alarm => alarm.deviceId !== null)
  const deviceId = first?.deviceId ?? (draft.scopeKind === 'devices' ? (draft.scope.devices[0] ?? null) : null)
  return (
    <>
      <p role="status">
        <b className={count > 0 ? css.alarming : undefined}>
          {t(ofNow ? 'dryRun.nowCount' : 'dryRun.count', { count, text: formatNumber(count) })}
        </b>
        {view.notices > 0 && ` · ${t('dryRun.notices', { count: view.notices, text: formatNumber(view.notices) })}`}
        {view.commands > 0 && ` · ${t('dryRun.commands', { count: view.commands, text: formatNumber(view.commands) })}`}
      </p>
      <p className={css.quiet}>
        {view.objects && view.objects.kind !== 'camera'
          ? t(`dryRun.objects.${view.objects.kind}`, {
              count: view.objects.looked,
              text: formatNumber(view.objects.looked),
            })
          : t('dryRun.looked', { devices: formatNumber(view.devices), rows: formatNumber(view.rows) })}
        {view.moreDevices > 0 &&
          ` ${t('dryRun.moreDevices', { count: view.moreDevices, text: formatNumber(view.moreDevices) })}`}
      </p>
      {view.pausedAt !== null && (
        <p className={css.alarming}>{t('dryRun.paused', { time: formatDateTime(view.pausedAt) })}</p>
      )}
      {view.missing.includes('objects') && <p className={css.quiet}>{t('dryRun.objects.onlyNow')}</p>}
      {view.missing.length > 0 && !view.objects && (
        <p className={css.quiet}>
          {t('dryRun.notRecorded', { what: view.missing.map(gap => t(`dryRun.gap.${gap}`)).join(t('comma')) })}
        </p>
      )}
      {!ofNow && deviceId !== null && draft.property !== '' && (
        <Suspense fallback={<div className={css.curveBone} />}>
          <DryRunCurve
            deviceId={deviceId}
            property={draft.property}
            unit={model.properties.find(each => each.identifier === draft.property)?.unit ?? ''}
            view={view}
            limits={{ high: draft.high, low: draft.low, kind: draft.kind }}
          />
        </Suspense>
      )}
      {view.alarms.length > 0 && (
        <div className={css.scroll}>
          <table className={css.table}>
            <thead>
              <tr>
                <th scope="col">{t('device')}</th>
                <th scope="col">{t('dryRun.at')}</th>
                <th scope="col">{t('dryRun.length')}</th>
              </tr>
            </thead>
            <tbody>
              {view.alarms.slice(0, ROWS).map((alarm, at) => (
                <tr key={at}>
                  <td title={alarm.deviceName ?? ''} dir="auto">
                    {alarm.level !== null && <AlarmTag level={alarm.level} word={false} />}{' '}
                    {alarm.deviceName ?? t('allDevices')}
                  </td>
                  <td>{formatDateTime(alarm.raisedAt)}</td>
                  <td>
                    {alarm.clearedAt === null ? t('dryRun.still') : formatDuration(alarm.clearedAt - alarm.raisedAt)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {count > ROWS && (
            <p className={css.quiet}>
              {t('dryRun.moreAlarms', { count: count - ROWS, text: formatNumber(count - ROWS) })}
            </p>
          )}
        </div>
      )}
    </>
  )
}
