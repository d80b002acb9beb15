import type { UserPackageView } from '@thingwright/contracts/end-users.contract'
import {
  END_USER_MEDIA_BYTES,
  END_USER_OWN_PAGES,
  END_USER_PAGES,
  USUAL_RIGHTS,
} from '@thingwright/contracts/end-users.words'
import { Checkbox } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { formatBytes } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { bytesOf, megabytesOf } from './media-quota.ts'
import { rightsField } from './rights-field.tsx'

/** Pages that can be left out of the menu of a package's end users. */
const PAGES = END_USER_PAGES.filter(
  page => !END_USER_OWN_PAGES.includes(page) && page !== '/manage/device/DeviceSet/DeviceCenter',
)

/** Makes or changes a package of rights. */
export function PackageDrawer({ given, onClose }: { given: UserPackageView | null; onClose: () => void }) {
  const { t } = useTranslation('end-users')
  const create = useAct('userPackages.create', { touches: ['endUsers'] })
  const update = useAct('userPackages.update', { always: true, touches: ['endUsers'] })
  const [seen] = useState(given)
  const fields = useMemo<Field[]>(
    () => [
      { kind: 'string', key: 'name', label: t('name'), required: true, maxLength: 64 },
      { kind: 'string', key: 'description', label: t('description'), maxLength: 512, cleared: '' },
      rightsField(t, { required: true }),
      {
        kind: 'custom',
        key: 'menuKeys',
        label: t('menus'),
        help: t('menusHelp'),
        render: input => (
          <Checkbox.Group
            disabled={input.disabled}
            value={(input.value as string[] | null) ?? [...PAGES]}
            onChange={values => input.onChange(values.length === PAGES.length ? null : values)}
            options={PAGES.map(page => ({
              value: page,
              label: t(`pages.${page.slice(1).replaceAll('/', '_')}` as 'pages.manage_device'),
            }))}
          />
        ),
      },
      {
        kind: 'number',
        key: 'deviceQuota',
        label: t('deviceQuota'),
        help: t('deviceQuotaHelp'),
        integer: true,
        min: 0,
        max: 1_000_000,
      },
      {
        kind: 'number',
        key: 'mediaQuota',
        label: t('mediaQuota'),
        help: t('mediaQuotaHelp', { size: formatBytes(END_USER_MEDIA_BYTES) }),
        unit: 'MB',
        integer: true,
        min: 0,
        max: 1_048_576,
      },
    ],
    [t],
  )
  return (
    <FormDrawer
      title={seen ? t('editTitle', { name: seen.name }) : t('createPackage')}
      fields={fields}
      initial={{
        name: seen?.name ?? '',
        description: seen?.description ?? '',
        rights: seen?.rights ?? [...USUAL_RIGHTS],
        menuKeys: seen?.menuKeys ?? null,
        deviceQuota: seen?.deviceQuota ?? null,
        mediaQuota: megabytesOf(seen?.mediaQuota),
      }}
      submitText={t('save')}
      onClose={onClose}
      onSubmit={async ({ menuKeys, mediaQuota, ...rest }, newer) => {
        // What is left of the own pages comes by itself.
        const values = {
          ...rest,
          mediaQuota: bytesOf(mediaQuota),
          menuKeys: Array.isArray(menuKeys) ? [...menuKeys, '/manage/device/DeviceSet/DeviceCenter'] : null,
        }
        if (seen)
          await update.send({
            params: { id: seen.id },
            body: { ...values, version: newer ?? seen.version } as Body<'userPackages.update'>,
          })
        else await create.send({ body: values as Body<'userPackages.create'> })
        notify.success(t('saved'))
        onClose()
      }}
    />
  )
}
