import { Input, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useCompanyChanged } from '../hooks.ts'
import css from '../operator.module.css'

/** Asks why, then freezes. */
export function FreezeDialog({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const { t } = useTranslation('operator')
  const changed = useCompanyChanged()
  const [reason, setReason] = useState('')
  const freeze = useAct('operator.freeze', {
    done: reply => {
      changed(reply)
      notify.success(t('frozen'))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={480}
      title={t('freezeTitle', { name })}
      okText={t('freeze')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: freeze.pending, disabled: reason.trim() === '' }}
      onOk={() => void freeze.run({ params: { id }, body: { reason } })}
      onCancel={onClose}
    >
      <p className={css.lead}>{t('freezeText')}</p>
      <Input.TextArea
        aria-label={t('reason')}
        placeholder={t('reason')}
        rows={2}
        maxLength={200}
        value={reason}
        onChange={event => setReason(event.target.value)}
      />
    </Modal>
  )
}
