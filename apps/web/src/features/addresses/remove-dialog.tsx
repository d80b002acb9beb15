import type { AddressView } from '@thingwright/contracts/addresses.contract'
import { Alert, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import css from './addresses.module.css'
import { addressText } from './hooks.ts'

export function RemoveDialog({ address, onClose }: { address: AddressView; onClose: () => void }) {
  const { t } = useTranslation('addresses')
  const remove = useAct('addresses.remove', {
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
      onOk={() => void remove.run({ params: { id: address.id } })}
      onCancel={onClose}
    >
      {remove.error !== null && (
        <Alert
          className={css.alert ?? ''}
          type="error"
          showIcon
          role="alert"
          title={errorFacts(remove.error).message}
        />
      )}
      <p className={css.text} dir="auto">
        {addressText(address)}
      </p>
      {address.isDefault && <p className={css.hint}>{t('removeDefault')}</p>}
    </Modal>
  )
}
