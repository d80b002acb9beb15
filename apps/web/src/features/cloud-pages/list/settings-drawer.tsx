import type { PageView } from '@thingwright/contracts/cloud-pages.contract'
import { PAGE_CONTROLS, PAGE_VISIBILITIES, SUFFIX_PATTERN } from '@thingwright/contracts/cloud-pages.words'
import { Select } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'

/** Name and address of a page, who sees it and who works it. */
export function SettingsDrawer({ page, onClose }: { page: PageView; onClose: () => void }) {
  const { t } = useTranslation('cloud-pages')
  const update = useAct('cloudPages.update')
  const mayRoles = useMay('roles.list')
  const roles = useRead('roles.list', {}, { enabled: mayRoles })
  const fields = useMemo<Field[]>(
    () => [
      { key: 'name', kind: 'string', label: t('name'), required: true, maxLength: 64 },
      {
        key: 'suffix',
        kind: 'string',
        label: t('suffix'),
        required: true,
        maxLength: 32,
        pattern: new RegExp(SUFFIX_PATTERN),
        patternText: t('suffixRule'),
        help: page.oldSuffixes.length > 0 ? t('oldSuffixes', { list: page.oldSuffixes.join(', ') }) : t('suffixKept'),
        mono: true,
      },
      {
        key: 'visibility',
        kind: 'enum',
        label: t('visibility'),
        required: true,
        options: PAGE_VISIBILITIES.map(value => ({
          value,
          label: t(`visibilities.${value}`),
          help: t(`visibilityHelp.${value}`),
        })),
      },
      {
        key: 'passcode',
        kind: 'string',
        label: t('passcode'),
        secret: true,
        minLength: 4,
        maxLength: 32,
        required: !page.hasPasscode,
        help: page.hasPasscode ? t('secretKept') : t('passcodeHelp'),
        visible: values => values.visibility === 'passcode',
      },
      {
        key: 'roleIds',
        kind: 'custom',
        label: t('roles'),
        required: true,
        visible: values => values.visibility === 'roles',
        render: ({ id, value, onChange, disabled }) => (
          <Select
            id={id}
            mode="multiple"
            style={{ width: '100%' }}
            value={(value as string[] | undefined) ?? []}
            disabled={disabled}
            optionFilterProp="label"
            options={(roles.data?.items ?? []).map(role => ({ value: role.id, label: role.name }))}
            onChange={onChange}
          />
        ),
      },
      {
        key: 'control',
        kind: 'enum',
        label: t('control'),
        required: true,
        options: PAGE_CONTROLS.map(value => ({
          value,
          label: t(`controls.${value}`),
          help: t(`controlHelp.${value}`),
        })),
      },
      {
        key: 'pin',
        kind: 'string',
        label: t('pin'),
        secret: true,
        pattern: /^[0-9]{4,12}$/,
        patternText: t('pinRule'),
        help: page.hasPin ? t('secretKept') : t('pinHelp'),
        visible: values => values.control !== 'none',
      },
    ],
    [t, page, roles.data],
  )
  const initial = useMemo(
    () => ({
      name: page.name,
      suffix: page.suffix,
      visibility: page.visibility,
      control: page.control,
      roleIds: page.roleIds,
    }),
    [page],
  )
  return (
    <FormDrawer
      title={t('settingsTitle', { name: page.name })}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async (values, newer) => {
        const { passcode, pin, ...rest } = values
        await update.send({
          params: { id: page.id },
          body: {
            ...rest,
            ...(passcode ? { passcode } : {}),
            ...(pin ? { pin } : {}),
            version: newer ?? page.version,
          } as Body<'cloudPages.update'>,
        })
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
