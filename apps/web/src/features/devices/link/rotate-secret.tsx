import type { DeviceView } from '@thingwright/contracts/devices.contract'
import { Alert, Button, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { CopyId } from '../../../ui/copy-id.tsx'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { useDeviceChanged } from '../hooks.ts'

const OVERLAPS = [86_400, 3600, 0] as const

/** A new secret: asks how long the old one works on, shows the new one once. */
export function RotateSecret({
  device,
  onRotated,
  onClose,
}: {
  device: DeviceView
  onRotated: (secret: string) => void
  onClose: () => void
}) {
  const { t } = useTranslation('devices')
  const changed = useDeviceChanged()
  const [secret, setSecret] = useState<string | null>(null)
  const rotate = useAct('devices.rotateSecret', {
    done: ({ deviceSecret, ...next }) => {
      changed(next)
      onRotated(deviceSecret)
      setSecret(deviceSecret)
    },
  })
  if (secret !== null)
    return (
      <Modal
        open
        title={t('newSecret')}
        closable={false}
        maskClosable={false}
        footer={
          <Button type="primary" onClick={onClose}>
            {t('secretKept')}
          </Button>
        }
      >
        <Alert type="warning" showIcon title={t('secretOnce')} />
        <p>
          <CopyId value={secret} />
        </p>
      </Modal>
    )
  return (
    <FormDrawer
      title={t('rotateTitle')}
      intro={<p>{t('rotateText')}</p>}
      fields={[
        {
          kind: 'enum',
          key: 'overlapSeconds',
          label: t('overlap'),
          help: t('overlapHelp'),
          required: true,
          display: 'cards',
          options: OVERLAPS.map(value => ({ value, label: t(`overlaps.${value}`), help: t(`overlapTexts.${value}`) })),
        },
      ]}
      initial={{ overlapSeconds: 86_400 }}
      submitText={t('rotate')}
      onClose={onClose}
      onSubmit={values =>
        rotate.send({ params: { id: device.id }, body: { overlapSeconds: values.overlapSeconds as number } })
      }
    />
  )
}
