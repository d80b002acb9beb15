import type { MeView } from '@thingwright/contracts/identity.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { changeLocale } from '../../../lib/i18n.ts'
import { notify } from '../../../lib/notify.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { keepMe } from '../../../lib/session.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import { FormDrawer } from '../../../ui/schema-form/form-drawer.tsx'

/** An end user changes the own name and language. */
export function OwnDrawer({ me, onClose }: { me: MeView; onClose: () => void }) {
  const { t } = useTranslation('end-users')
  const update = useAct('identity.updateMe')
  const fields = useMemo<Field[]>(
    () => [
      { key: 'displayName', kind: 'string', label: t('name'), required: true, maxLength: 64 },
      {
        key: 'locale',
        kind: 'enum',
        label: t('language'),
        required: true,
        options: [
          { value: 'zh', label: t('languages.zh') },
          { value: 'en', label: t('languages.en') },
        ],
      },
    ],
    [t],
  )
  const initial = useMemo(() => ({ displayName: me.displayName, locale: me.locale }), [me])
  return (
    <FormDrawer
      title={t('profile')}
      fields={fields}
      initial={initial}
      submitText={t('save')}
      onSubmit={async values => {
        const next = await update.send({ body: values as Body<'identity.updateMe'> })
        keepMe(next)
        if (next.locale !== me.locale) await changeLocale(next.locale)
        notify.success(t('saved'))
        onClose()
      }}
      onClose={onClose}
    />
  )
}
