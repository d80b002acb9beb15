import type { FirmwarePackageView } from '@thingwright/contracts/firmware.contract'
import { Input, Segmented } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { call } from '../../../lib/api-client.ts'
import { formatNumber } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { campaignAddress } from '../addresses.ts'
import { Confirm } from '../components/confirm.tsx'
import { DevicePicker } from '../components/device-picker.tsx'
import { FIRMWARE } from '../hooks.ts'
import css from '../ota.module.css'

export type PackageQuestion = 'verify' | 'conclude' | 'disable' | 'enable' | 'remove'

/** Devices of one trial. */
const MAX_TRIED = 20

/** Everything about a package that is done after a question. */
export function PackageDialog({
  question,
  of,
  onClose,
}: {
  question: PackageQuestion
  of: FirmwarePackageView
  onClose: () => void
}) {
  if (question === 'verify') return <VerifyDialog of={of} onClose={onClose} />
  if (question === 'conclude') return <ConcludeDialog of={of} onClose={onClose} />
  return <PlainDialog question={question} of={of} onClose={onClose} />
}

function PlainDialog({
  question,
  of,
  onClose,
}: {
  question: 'disable' | 'enable' | 'remove'
  of: FirmwarePackageView
  onClose: () => void
}) {
  const { t } = useTranslation('ota')
  const act = useAct(`firmware.${question}`, {
    touches: FIRMWARE,
    done: () => {
      notify.success(t(`package.${question}.done`, { name: of.name }))
      onClose()
    },
  })
  return (
    <Confirm
      title={t(`package.${question}.title`, { name: of.name })}
      okText={t(`package.${question}.action`)}
      danger={question !== 'enable'}
      onClose={onClose}
      onOk={() => act.send({ params: { id: of.id } })}
    >
      <p>{t(`package.${question}.text`, { version: of.version, devices: formatNumber(of.devices) })}</p>
    </Confirm>
  )
}

/** The trial on test devices; the way leads on to its campaign, where one sees what they say. */
function VerifyDialog({ of, onClose }: { of: FirmwarePackageView; onClose: () => void }) {
  const { t } = useTranslation('ota')
  const verify = useAct('firmware.verify', { touches: FIRMWARE })
  const navigate = useNavigate()
  const [ids, setIds] = useState<string[]>([])
  return (
    <Confirm
      title={t('package.verify.title', { name: of.name })}
      okText={t('package.verify.ok')}
      width={560}
      disabled={ids.length === 0}
      onClose={onClose}
      onOk={async () => {
        await verify.send({ params: { id: of.id }, body: { deviceIds: ids } })
        const { items } = await call('otaCampaigns.list', {
          query: { packageId: of.id, kind: 'verification', limit: 1 },
        })
        notify.success(t('package.verify.done', { count: ids.length }))
        onClose()
        if (items[0]) void navigate(campaignAddress(items[0].id))
      }}
    >
      <p>{t('package.verify.text', { version: of.version })}</p>
      <DevicePicker productId={of.productId} value={ids} onChange={setIds} max={MAX_TRIED} />
      <p className={css.muted}>{t('package.verify.help', { max: MAX_TRIED })}</p>
    </Confirm>
  )
}

function ConcludeDialog({ of, onClose }: { of: FirmwarePackageView; onClose: () => void }) {
  const { t } = useTranslation('ota')
  const conclude = useAct('firmware.conclude', {
    touches: FIRMWARE,
    done: () => {
      notify.success(t('package.conclude.done', { name: of.name }))
      onClose()
    },
  })
  const id = useId()
  const [passed, setPassed] = useState(true)
  const [note, setNote] = useState('')
  return (
    <Confirm
      title={t('package.conclude.title', { name: of.name })}
      okText={t('package.conclude.ok')}
      disabled={note.trim() === ''}
      onClose={onClose}
      onOk={() => conclude.send({ params: { id: of.id }, body: { passed, note: note.trim() } })}
    >
      <p>{t('package.conclude.text')}</p>
      <Segmented
        value={passed ? 'yes' : 'no'}
        options={[
          { value: 'yes', label: t('packageState.verified') },
          { value: 'no', label: t('packageState.verification_failed') },
        ]}
        onChange={value => setPassed(value === 'yes')}
      />
      <label htmlFor={id} className={css.label}>
        {t('package.conclude.note')}
      </label>
      <Input.TextArea
        id={id}
        rows={3}
        maxLength={200}
        showCount
        value={note}
        onChange={event => setNote(event.target.value)}
      />
    </Confirm>
  )
}
