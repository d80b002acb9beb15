import { Alert, DatePicker, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { formatDateTime, formatMoney, formatNumber } from '../../lib/format.ts'
import { notify } from '../../lib/notify.ts'
import { serverNow } from '../../lib/server-clock.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import css from './tariffs.module.css'

/** Asks for a month that is over and bills it by a task; what was billed before stands below. */
export function RunDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('tariffs')
  const [month, setMonth] = useState<string | null>(null)
  const runs = useRead('billingRuns.list')
  const create = useAct('billingRuns.create', {
    touches: ['meterStatements', 'tasks'],
    notice: false,
    done: () => {
      notify.success(t('runStarted'))
      onClose()
    },
  })
  return (
    <Modal
      open
      title={t('runMonth')}
      okText={t('runStart')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: month === null, loading: create.pending }}
      onOk={() => month && void create.run({ body: { month } })}
      onCancel={onClose}
      destroyOnHidden
    >
      <div className={css.stack}>
        {create.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(create.error).message} />}
        <p className={css.plain}>{t('runText')}</p>
        <DatePicker
          picker="month"
          allowClear={false}
          aria-label={t('month')}
          placeholder={t('month')}
          disabledDate={date => date.endOf('month').valueOf() > serverNow()}
          onChange={value => setMonth(value === null ? null : value.format('YYYY-MM'))}
        />
        {(runs.data?.items ?? []).length > 0 && (
          <ul className={css.rows}>
            {runs.data!.items.slice(0, 6).map(run => (
              <li key={run.id}>
                <span>
                  {run.month}{' '}
                  <span className={css.muted}>
                    {formatDateTime(run.createdAt)} · {t(`runState.${run.state}`)}
                  </span>
                </span>
                <span className={css.number}>
                  {t('runResult', { statements: formatNumber(run.statements), failed: formatNumber(run.failed) })} ·{' '}
                  {formatMoney(run.amountFen)}
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Modal>
  )
}
