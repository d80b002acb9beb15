import type { VideoChannelView } from '@thingwright/contracts/video.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../lib/api-client.ts'
import { notify } from '../../lib/notify.ts'
import { useAct } from '../../lib/server-state/use-act.ts'
import type { Field } from '../../ui/schema-form/field.ts'
import { FormDrawer } from '../../ui/schema-form/form-drawer.tsx'
import { streamField } from './stream-field.ts'
import { useDeviceField } from './use-device-field.ts'

/** Renames a camera, binds it to a device, stores its verification code or changes its address. */
export function EditDrawer({ channel, onClose }: { channel: VideoChannelView; onClose: () => void }) {
  const { t } = useTranslation('video')
  const update = useAct('videoChannels.update')
  const { deviceId, deviceName } = channel
  const bound = useMemo(
    () => (deviceId ? { id: deviceId, name: deviceName ?? deviceId } : null),
    [deviceId, deviceName],
  )
  const device = useDeviceField(bound)
  const fields = useMemo<Field[]>(
    () => [
      {
        key: 'name',
        kind: 'string',
        label: t('name'),
        required: true,
        maxLength: 64,
        ...(channel.channelNo === 1 ? { help: t('renameHelp') } : {}),
      },
      ...(channel.streamUrl === null
        ? [
            {
              key: 'code',
              kind: 'string' as const,
              label: t('code'),
              secret: true,
              maxLength: 32,
              help: t('codeEditHelp'),
              ...(channel.hasCode ? { placeholder: t('account.unchanged') } : {}),
            },
          ]
        : [streamField(t)]),
      device,
    ],
    [t, channel, device],
  )
  const initial = useMemo(
    () => ({ name: channel.name, streamUrl: channel.streamUrl ?? undefined, deviceId: channel.deviceId ?? undefined }),
    [channel],
  )
  return (
    <FormDrawer
      title={t('editTitle')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async ({ deviceId: next = null, ...values }, newer) => {
        const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== ''))
        await update.send({
          params: { id: channel.id },
          body: { ...given, deviceId: next, version: newer ?? channel.version } as Body<'videoChannels.update'>,
        })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
