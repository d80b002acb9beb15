import type { SimCardView } from '@thingwright/contracts/sim-cards.contract'
import { Alert, Modal, Select } from 'antd'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../lib/errors.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import { useRead } from '../../lib/server-state/use-read.ts'

/** Says which device a card is in. */
export function BindDialog({ card, onClose }: { card: SimCardView; onClose: () => void }) {
  const { t } = useTranslation('sim-cards')
  const [deviceId, setDeviceId] = useState<string | null>(card.deviceId)
  const [typed, setTyped] = useState('')
  const q = useDeferredValue(typed.trim())
  const devices = useRead(
    'devices.list',
    { query: { limit: 50, ...(q === '' ? {} : { q }) } },
    { keep: true, staleTime: 10_000 },
  )
  const bind = useAct('simCards.bind', {
    always: true,
    notice: false,
    done: () => {
      notify.success(t('saved'))
      onClose()
    },
  })
  const options = (devices.data?.items ?? []).map(({ id, name, deviceNo }) => ({
    value: id,
    label: `${name} · ${deviceNo}`,
  }))
  if (card.deviceId && !options.some(({ value }) => value === card.deviceId))
    options.unshift({ value: card.deviceId, label: `${card.deviceName} · ${card.deviceNo}` })
  return (
    <Modal
      open
      width={480}
      title={t('bindTitle')}
      okText={t('save')}
      cancelText={t('cancel')}
      okButtonProps={{ loading: bind.pending, disabled: deviceId === card.deviceId }}
      onOk={() => void bind.run({ params: { id: card.id }, body: { deviceId } })}
      onCancel={onClose}
    >
      {bind.error !== null && <Alert type="error" showIcon role="alert" title={errorFacts(bind.error).message} />}
      <p>{t('bindText', { iccid: card.iccid })}</p>
      <Select
        aria-label={t('device')}
        style={{ width: '100%' }}
        allowClear
        placeholder={t('chooseDevice')}
        loading={devices.isFetching}
        showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
        options={options}
        value={deviceId}
        onChange={(id: string | undefined) => setDeviceId(id ?? null)}
      />
    </Modal>
  )
}
