import type { TelecomKeyView } from '@thingwright/contracts/telecom.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'

const NOTHING = {}

/** Takes the secret that the platform gave in place of the one before; one that the platform refuses changes nothing. */
export function RotateDrawer({ telecomKey: key, onClose }: { telecomKey: TelecomKeyView; onClose: () => void }) {
  const { t } = useTranslation('telecom')
  const rotate = useAct('telecom.rotateSecret')
  const fields = useMemo<Field[]>(
    () => [
      {
        key: 'appSecret',
        kind: 'string',
        label: key.platform === 'ctwing' ? t('appSecret') : t('accessKey'),
        secret: true,
        keepSpaces: true,
        required: true,
        maxLength: 200,
        help: t('rotateHelp', { hint: key.secretHint }),
      },
    ],
    [t, key],
  )
  return (
    <FormDrawer
      title={t('rotateTitle', { name: key.name })}
      fields={fields}
      initial={NOTHING}
      submitText={t('rotate')}
      onSubmit={async values => {
        await rotate.send({ params: { id: key.id }, body: { appSecret: values.appSecret as string } })
        notify.success(t('rotated'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
