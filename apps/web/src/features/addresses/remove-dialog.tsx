import type { AddressView } from '@thingwright/contracts/addresses.contract'
import { Alert, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../lib/api-client.ts'
import { errorFacts, isSilent } from '../../lib/errors.ts'
import { notify } from '../../lib/notify.ts'
import css from './addresses.module.css'
import { addressText, useAddressesChanged } from './hooks.ts'

export function RemoveDialog({ address, onClose }: { address: AddressView; onClose: () => void }) {
  const { t } = useTranslation('addresses')
  const changed = useAddressesChanged()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const run = async () => {
    setBusy(true)
    setFailure(null)
    try {
      await call('addresses.remove', { params: { id: address.id } })
      notify.success(t('removed'))
      onClose()
    } catch (error) {
      if (!isSilent(error)) setFailure(error)
    } finally {
      setBusy(false)
      changed()
    }
  }
  return (
    <Modal
      open
      width={420}
      title={t('removeTitle')}
      okText={t('remove')}
      cancelText={t('cancel')}
      okButtonProps={{ danger: true, loading: busy }}
      onOk={() => void run()}
      onCancel={onClose}
    >
      {failure !== null && (
        <Alert className={css.alert ?? ''} type="error" showIcon role="alert" title={errorFacts(failure).message} />
      )}
      <p className={css.text} dir="auto">
        {addressText(address)}
      </p>
      {address.isDefault && <p className={css.hint}>{t('removeDefault')}</p>}
    </Modal>
  )
}
