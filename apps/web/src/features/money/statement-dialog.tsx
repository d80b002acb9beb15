import { Alert, DatePicker, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { download } from '../../lib/api-client.ts'
import { serverNow } from '../../lib/server-clock.ts'
import { useWork } from '../../lib/server-state/use-work.ts'
import css from './money.module.css'

/** Asks for a month and saves its statement of account as a PDF. */
export function StatementDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('money')
  const { attempt, pending } = useWork()
  const [month, setMonth] = useState<string | null>(null)
  const save = async () => {
    if (!month) return
    const name = `${t('statement.act')}-${month}.pdf`
    if (await attempt(() => download('wallets.balanceStatement', name, { query: { month } }).then(() => true)))
      onClose()
  }
  return (
    <Modal
      open
      title={t('statement.title')}
      okText={t('statement.save')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: month === null, loading: pending }}
      onOk={() => void save()}
      onCancel={onClose}
      destroyOnHidden
    >
      <div className={css.pay}>
        <DatePicker
          picker="month"
          allowClear={false}
          aria-label={t('statement.month')}
          placeholder={t('statement.month')}
          disabledDate={date => date.startOf('month').valueOf() > serverNow()}
          onChange={value => setMonth(value === null ? null : value.format('YYYY-MM'))}
        />
        <Alert type="info" showIcon title={t('statement.notInvoice')} />
      </div>
    </Modal>
  )
}
