import type { MeterStatementView } from '@thingwright/contracts/meter-statements.contract'
import { Alert, Button, Drawer, Input, Modal, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { download } from '../../lib/api-client.ts'
import { errorFacts } from '../../lib/errors.ts'
import { formatDateTime, formatMoney } from '../../lib/format.ts'
import { useMay } from '../../lib/permissions.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { useWork } from '../../lib/server-state/use-work.ts'
import { Facts } from '../../ui/panel.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { StatusTag } from '../../ui/status-tag.tsx'
import { METERING, STATE_KIND } from './hooks.ts'
import { Lines, Marks } from './statement-lines.tsx'
import css from './tariffs.module.css'

/** One statement; `own`: the end user's own, which he reads only. */
export function StatementDrawer({ id, own = false, onClose }: { id: string; own?: boolean; onClose: () => void }) {
  const { t } = useTranslation('tariffs')
  const read = useRead(own ? 'ownMeters.statement' : 'meterStatements.get', { params: { id } })
  return (
    <Drawer
      open
      size={720}
      title={read.data ? t('statementOf', { no: read.data.no }) : t('statement')}
      onClose={onClose}
    >
      {read.data ? (
        <Statement statement={read.data} own={own} />
      ) : read.isError ? (
        <ErrorState error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <Skeleton active paragraph={{ rows: 8 }} />
      )}
    </Drawer>
  )
}

function Statement({ statement, own }: { statement: MeterStatementView; own: boolean }) {
  const { t } = useTranslation('tariffs')
  const mayVoid = useMay('meterStatements.void')
  const [voiding, setVoiding] = useState(false)
  const { unit, id, no } = statement
  const { attempt, pending } = useWork()
  const save = () =>
    void attempt(() =>
      download(own ? 'ownMeters.bill' : 'meterStatements.bill', `${t('statement')}-${no}.pdf`, { params: { id } }),
    )
  return (
    <div className={css.stack}>
      {statement.voidReason && <Alert type="warning" showIcon title={statement.voidReason} />}
      <div className={css.line}>
        <Button loading={pending} onClick={save}>
          {t('bill')}
        </Button>
        {!own && mayVoid && statement.state !== 'voided' && (
          <Button danger onClick={() => setVoiding(true)}>
            {t('void')}
          </Button>
        )}
      </div>
      <Facts
        items={[
          {
            label: t('stateLabel'),
            value: <StatusTag kind={STATE_KIND[statement.state]}>{t(`state.${statement.state}`)}</StatusTag>,
          },
          { label: t('amount'), value: <b>{formatMoney(statement.amountFen)}</b> },
          { label: t('paid'), value: formatMoney(statement.paidFen) },
          { label: t('month'), value: statement.month },
          { label: t('endUser'), value: statement.endUserName },
          { label: t('meter'), value: `${statement.meterName} · ${statement.deviceName}` },
          { label: t('tariff'), value: statement.tariffName },
          { label: t('modeLabel'), value: t(`mode.${statement.mode}`) },
          {
            label: t('readings'),
            value: t('readingsText', {
              from: formatDateTime(statement.fromAt),
              to: formatDateTime(statement.toAt),
              before: statement.fromValue,
              after: statement.toValue,
            }),
            wide: true,
          },
          { label: t('quantity'), value: `${statement.quantity} ${unit}` },
          ...(statement.factor === '1' ? [] : [{ label: t('factor'), value: statement.factor }]),
          ...(Number(statement.openQuantity) > 0
            ? [{ label: t('openQuantity'), value: `${statement.openQuantity} ${unit}` }]
            : []),
        ]}
      />
      <Lines lines={statement.lines} unit={unit} />
      <Marks marks={statement.marks} unit={unit} />
      {voiding && <VoidDialog statement={statement} onClose={() => setVoiding(false)} />}
    </div>
  )
}

function VoidDialog({ statement, onClose }: { statement: MeterStatementView; onClose: () => void }) {
  const { t } = useTranslation('tariffs')
  const [reason, setReason] = useState('')
  const act = useAct('meterStatements.void', { touches: METERING, notice: false, done: onClose })
  return (
    <Modal
      open
      title={t('void')}
      okText={t('void')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, disabled: reason.trim() === '', loading: act.pending }}
      onOk={() => void act.run({ params: { id: statement.id }, body: { reason } })}
      onCancel={onClose}
    >
      <div className={css.stack}>
        {act.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(act.error).message} />}
        <p className={css.plain}>{t('voidText', { amount: formatMoney(statement.amountFen) })}</p>
        <Input
          aria-label={t('reason')}
          placeholder={t('reason')}
          maxLength={200}
          value={reason}
          onChange={event => setReason(event.target.value)}
        />
      </div>
    </Modal>
  )
}
