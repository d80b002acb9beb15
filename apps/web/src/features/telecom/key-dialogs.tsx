import type { TelecomKeyView } from '@thingwright/contracts/telecom.contract'
import { Alert, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'

export function RemoveKey({ telecomKey: key, onClose }: { telecomKey: TelecomKeyView; onClose: () => void }) {
  const { t } = useTranslation('telecom')
  const remove = useAct('telecom.remove', {
    always: true,
    notice: false,
    done: () => {
      notify.success(t('removed'))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={420}
      title={t('removeTitle')}
      okText={t('remove')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: remove.pending }}
      onOk={() => void remove.run({ params: { id: key.id } })}
      onCancel={onClose}
    >
      {remove.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(remove.error).message} />}
      <p>{t('removeText', { name: key.name })}</p>
    </Modal>
  )
}

/** Another callback address: the platform pushes into the void until it is told the new one. */
export function RenewAddress({ telecomKey: key, onClose }: { telecomKey: TelecomKeyView; onClose: () => void }) {
  const { t } = useTranslation('telecom')
  const renew = useAct('telecom.renewAddress', {
    always: true,
    notice: false,
    done: () => {
      notify.success(t('renewed'))
      onClose()
    },
  })
  return (
    <Modal
      open
      width={420}
      title={t('renewTitle')}
      okText={t('renew')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: renew.pending }}
      onOk={() => void renew.run({ params: { id: key.id } })}
      onCancel={onClose}
    >
      {renew.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(renew.error).message} />}
      <p>{t('renewText')}</p>
    </Modal>
  )
}
