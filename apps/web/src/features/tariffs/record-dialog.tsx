import { Alert, Input, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { randomId } from '../../lib/ids.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { METERING } from './hooks.ts'
import { fenOf } from './pay-dialog.tsx'
import css from './tariffs.module.css'

/** Writes down what an end user paid offline; sent twice it is booked once. */
export function RecordDialog({ endUserId, onClose }: { endUserId: string; onClose: () => void }) {
  const { t } = useTranslation('tariffs')
  const [key] = useState(randomId)
  const [text, setText] = useState('')
  const [remark, setRemark] = useState('')
  const act = useAct('meterPayments.record', {
    touches: METERING,
    notice: false,
    done: () => {
      notify.success(t('saved'))
      onClose()
    },
  })
  const fen = fenOf(text)
  return (
    <Modal
      open
      title={t('recordPayment')}
      okText={t('save')}
      cancelText={t('cancel')}
      okButtonProps={{ disabled: fen === null || remark.trim() === '', loading: act.pending }}
      onOk={() => fen !== null && void act.run({ params: { endUserId }, body: { amountFen: fen, remark, key } })}
      onCancel={onClose}
    >
      <div className={css.stack}>
        {act.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(act.error).message} />}
        <Input
          aria-label={t('payAmount')}
          placeholder={t('payAmount')}
          prefix="¥"
          inputMode="decimal"
          value={text}
          status={fen === null && text !== '' ? 'error' : ''}
          onChange={event => setText(event.target.value)}
        />
        <Input
          aria-label={t('howPaid')}
          placeholder={t('howPaid')}
          maxLength={200}
          value={remark}
          onChange={event => setRemark(event.target.value)}
        />
      </div>
    </Modal>
  )
}
