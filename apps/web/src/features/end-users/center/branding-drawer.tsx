import { contrast } from '@thingwright/contracts/contrast'
import { Drawer, Skeleton } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { showBranding } from '../../../lib/branding.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { LogoInput } from '../../../ui/logo-input/logo-input.tsx'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'
import { ErrorState } from '../../../ui/states.tsx'

const LEAST_CONTRAST = 4.5
const NOTHING = { title: '', titleEn: '', logo: '', colour: null }

/** Title, logo and colour of an end user's own console. */
export function BrandingDrawer({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('end-users')
  const own = useRead('endUsers.ownBranding')
  const set = useAct('endUsers.setOwnBranding')
  const fields = useMemo<Field[]>(
    () => [
      { kind: 'string', key: 'title', label: t('brand.title'), maxLength: 32, cleared: '' },
      { kind: 'string', key: 'titleEn', label: t('brand.titleEn'), maxLength: 48, cleared: '' },
      {
        kind: 'custom',
        key: 'logo',
        label: t('brand.logo'),
        help: t('brand.logoHelp'),
        render: ({ id, value, onChange, disabled }) => (
          <LogoInput id={id} value={String(value ?? '')} onChange={onChange} disabled={disabled} />
        ),
      },
      {
        kind: 'color',
        key: 'colour',
        label: t('brand.colour'),
        check: value =>
          typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) && contrast(value, '#ffffff') < LEAST_CONTRAST
            ? t('brand.unreadable')
            : null,
      },
    ],
    [t],
  )
  if (!own.data)
    return (
      <Drawer open size={480} title={t('brand.name')} onClose={onClose}>
        {own.isError ? <ErrorState error={own.error} onRetry={() => void own.refetch()} /> : <Skeleton active />}
      </Drawer>
    )
  return (
    <FormDrawer
      title={t('brand.name')}
      fields={fields}
      initial={{ ...own.data.own }}
      submitText={t('save')}
      note={t('brand.note')}
      onSubmit={async values => {
        const { shown } = await set.send({
          body: { ...NOTHING, ...own.data.own, ...values } as Body<'endUsers.setOwnBranding'>,
        })
        showBranding(shown)
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
