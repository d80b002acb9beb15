import { PORTAL_LANGUAGES } from '@thingwright/contracts/apps.words'
import { contrast } from '@thingwright/contracts/contrast'
import type { WebAppView } from '@thingwright/contracts/web-apps.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import css from '../apps.module.css'
import { FormPanel } from '../form-panel.tsx'
import { ImagesPanel } from './images-panel.tsx'
import { Preview } from './preview.tsx'

const LEAST_CONTRAST = 4.5

/** Name, colour, small print and pictures, with a look at the result beside them. */
export function BrandTab({ app, mayWrite }: { app: WebAppView; mayWrite: boolean }) {
  const { t } = useTranslation('apps')
  const update = useAct('webApps.update')
  const fields = useMemo<Field[]>(
    () => [
      { kind: 'string', key: 'name', label: t('webApp.name'), required: true, maxLength: 32, half: true },
      { kind: 'string', key: 'nameEn', label: t('webApp.nameEn'), maxLength: 48, half: true, cleared: '' },
      {
        kind: 'color',
        key: 'colour',
        label: t('webApp.colour'),
        help: t('webApp.colourHelp'),
        half: true,
        check: value =>
          typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) && contrast(value, '#ffffff') < LEAST_CONTRAST
            ? t('webApp.colourUnreadable', { contrast: contrast(value, '#ffffff').toFixed(1) })
            : null,
      },
      {
        kind: 'enum',
        key: 'language',
        label: t('webApp.language'),
        half: true,
        required: true,
        options: PORTAL_LANGUAGES.map(value => ({ value, label: t(`webApp.languages.${value}`) })),
      },
      { kind: 'string', key: 'copyright', label: t('webApp.copyright'), maxLength: 100, half: true, cleared: '' },
      {
        kind: 'string',
        key: 'icp',
        label: t('webApp.icp'),
        help: t('webApp.icpHelp'),
        maxLength: 40,
        half: true,
        cleared: '',
      },
    ],
    [t],
  )
  const { name, nameEn, colour, language, copyright, icp } = app
  const form = useSchemaForm(fields, { name, nameEn, colour, language, copyright, icp })
  return (
    <div className={css.two}>
      <div className={css.stack}>
        <FormPanel
          title={t('webApp.tab.brand')}
          hint={t('webApp.brandHint')}
          form={form}
          disabled={!mayWrite}
          onSave={async values => {
            await update.send({
              params: { id: app.id },
              body: { ...values, version: app.version } as Body<'webApps.update'>,
            })
            notify.success(t('saved'))
          }}
        />
        <ImagesPanel app={app} mayWrite={mayWrite} />
      </div>
      <Preview app={{ ...app, ...(form.values as Partial<WebAppView>) }} />
    </div>
  )
}
