import { Alert, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { LORA } from './hooks.ts'

/** Asks before something is removed from ChirpStack, where it cannot be brought back. */
export function RemoveDialog({
  of,
  id,
  name,
  onDone,
  onClose,
}: {
  of: 'loraProfiles.remove' | 'loraGateways.remove'
  id: string
  name: string
  onDone?: () => void
  onClose: () => void
}) {
  const { t } = useTranslation('lora')
  const remove = useAct(of, {
    touches: LORA,
    notice: false,
    done: () => {
      notify.success(t('removed'))
      onClose()
      onDone?.()
    },
  })
  return (
    <Modal
      open
      width={420}
      title={t('removeTitle', { name })}
      okText={t('remove')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: remove.pending }}
      onOk={() => void remove.run({ params: { id } })}
      onCancel={onClose}
    >
      {remove.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(remove.error).message} />}
      <p>{t(of === 'loraProfiles.remove' ? 'profile.removeText' : 'gateway.removeText')}</p>
    </Modal>
  )
}
