import type { MeterView } from '@thingwright/contracts/meters.contract'
import { Alert, Button, DatePicker, Drawer, Popconfirm, Skeleton, Space } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { errorFacts } from '../../lib/errors.ts'
import { formatDateTime, formatMoney } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { useMay } from '../../lib/permissions.ts'
import { serverNow } from '../../lib/server-clock.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { Facts, Panel } from '../../ui/panel.tsx'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { METERING, PAGE } from './hooks.ts'
import { MeterForm } from './meter-form.tsx'
import { Lines, Marks } from './statement-lines.tsx'
import css from './tariffs.module.css'

/** One meter: how it is charged, what is wrong with its readings, declared resets, what this month would cost. */
export function MeterDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation('tariffs')
  const read = useRead('meters.get', { params: { id } })
  return (
    <Drawer open size={720} title={read.data?.name ?? t('meter')} onClose={onClose}>
      {read.data ? (
        <Meter meter={read.data} onClose={onClose} />
      ) : read.isError ? (
        <ErrorState error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <Skeleton active paragraph={{ rows: 8 }} />
      )}
    </Drawer>
  )
}

function Meter({ meter, onClose }: { meter: MeterView; onClose: () => void }) {
  const { t } = useTranslation('tariffs')
  const mayWrite = useMay('meters.update')
  const [form, setForm] = useState<'edit' | 'reset' | null>(null)
  const remove = useAct('meters.remove', { touches: METERING, done: onClose })
  const dropReset = useAct('meters.removeReset', { touches: METERING })
  const { problem } = meter
  return (
    <div className={css.stack}>
      {problem && (
        <Alert type="error" showIcon role="alert" title={problem.message} description={t(`whyHelp.${problem.code}`)} />
      )}
      {mayWrite && (
        <Space wrap>
          <Button type="primary" onClick={() => setForm('edit')}>
            {t('edit')}
          </Button>
          <Button onClick={() => setForm('reset')}>{t('addReset')}</Button>
          <Link to={`${PAGE}?tab=statements&q=${encodeURIComponent(meter.name)}`}>{t('itsStatements')}</Link>
          <Popconfirm
            title={t('removeMeter', { name: meter.name })}
            okText={t('remove')}
            cancelText={t('cancel')}
            onConfirm={() => void remove.run({ params: { id: meter.id } })}
          >
            <Button danger loading={remove.pending}>
              {t('remove')}
            </Button>
          </Popconfirm>
        </Space>
      )}
      <Facts
        items={[
          { label: t('endUser'), value: meter.endUserName || '\u2013' },
          { label: t('tariff'), value: `${meter.tariffName} (${meter.unit})` },
          { label: t('device'), value: meter.deviceName },
          { label: t('property'), value: meter.property },
          { label: t('modeLabel'), value: t(`mode.${meter.mode}`) },
          { label: t('factor'), value: meter.factor },
          { label: t('validityLabel'), value: t('validity', { from: meter.fromDay, to: meter.toDay ?? t('noEnd') }) },
          {
            label: t('billedTo'),
            value: meter.billedTo ? `${formatDateTime(meter.billedTo)} · ${meter.billedValue ?? ''}` : '\u2013',
          },
          ...(meter.mode === 'prepaid'
            ? [
                { label: t('drawn'), value: formatMoney(meter.drawnFen) },
                {
                  label: t('cutProperty'),
                  value: meter.cutProperty ? `${meter.cutProperty} = ${String(meter.cutValue)}` : '\u2013',
                },
              ]
            : []),
          { label: t('rollover'), value: meter.rollover ?? '\u2013' },
          {
            label: t('gapModeLabel'),
            value: `${t(`gapMode.${meter.gapMode}`)} (> ${meter.gapMinutes} ${t('minutes')})`,
          },
        ]}
      />
      <Panel title={t('resets')} hint={t('resetsHint')}>
        {meter.resets.length === 0 ? (
          <p className={css.muted}>{t('noResets')}</p>
        ) : (
          <ul className={css.rows}>
            {meter.resets.map(reset => (
              <li key={reset.id}>
                <span>
                  {formatDateTime(reset.at)} · {reset.finalValue ?? '?'} → {reset.startValue}
                  {reset.remark && <span className={css.muted}> {reset.remark}</span>}
                </span>
                {mayWrite && (
                  <Button
                    type="text"
                    danger
                    onClick={() => void dropReset.run({ params: { id: meter.id, resetId: reset.id } })}
                  >
                    {t('remove')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <Preview meter={meter} />
      {form === 'edit' && <MeterForm meter={meter} onClose={() => setForm(null)} onDone={() => undefined} />}
      {form === 'reset' && <ResetForm meter={meter} onClose={() => setForm(null)} />}
    </div>
  )
}

function Preview({ meter }: { meter: MeterView }) {
  const { t } = useTranslation('tariffs')
  const [month, setMonth] = useState(() => new Date(serverNow()).toISOString().slice(0, 7))
  const read = useRead('meters.preview', { params: { id: meter.id }, query: { month } }, { retry: false })
  return (
    <Panel
      title={t('preview')}
      hint={t('previewHint')}
      actions={
        <DatePicker
          picker="month"
          allowClear={false}
          aria-label={t('month')}
          placeholder={month}
          disabledDate={date => date.startOf('month').valueOf() > serverNow()}
          onChange={value => value && setMonth(value.format('YYYY-MM'))}
        />
      }
    >
      {read.isError ? (
        <p className={css.muted}>{errorFacts(read.error).message}</p>
      ) : read.data ? (
        <>
          <p className={css.plain}>
            {t('used', { quantity: read.data.quantity, unit: meter.unit })} · <b>{formatMoney(read.data.amountFen)}</b>
          </p>
          <Lines lines={read.data.lines} unit={meter.unit} />
          <Marks marks={read.data.marks} unit={meter.unit} />
        </>
      ) : (
        <Skeleton active paragraph={{ rows: 2 }} />
      )}
    </Panel>
  )
}

function ResetForm({ meter, onClose }: { meter: MeterView; onClose: () => void }) {
  const { t } = useTranslation('tariffs')
  const add = useAct('meters.addReset', { touches: METERING, notice: false })
  const pattern = /^\d{1,12}(\.\d{1,9})?$/
  return (
    <FormDrawer
      title={t('addReset')}
      fields={[
        { key: 'at', kind: 'date', label: t('resetAt'), required: true },
        {
          key: 'finalValue',
          kind: 'string',
          label: t('finalValue'),
          help: t('finalValueHelp'),
          mono: true,
          pattern,
          patternText: t('valueText'),
          half: true,
        },
        {
          key: 'startValue',
          kind: 'string',
          label: t('newValue'),
          required: true,
          mono: true,
          pattern,
          patternText: t('valueText'),
          half: true,
        },
        { key: 'remark', kind: 'string', label: t('remark'), maxLength: 200, cleared: '' },
      ]}
      initial={{
        at: meter.problem?.to ? Date.parse(meter.problem.to) : null,
        finalValue: meter.problem?.before ?? null,
        startValue: '0',
        remark: '',
      }}
      submitText={t('save')}
      onSubmit={async values => {
        await add.send({
          params: { id: meter.id },
          body: {
            at: new Date(values.at as number).toISOString(),
            finalValue: (values.finalValue as string | null) || null,
            startValue: values.startValue as string,
            remark: (values.remark as string | null) ?? '',
          },
        })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
