import type { CommandTemplateView } from '@thingwright/contracts/command-templates.contract'
import type { CommandView } from '@thingwright/contracts/commands.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { locale } from '../../../lib/i18n.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { sendGuarded } from '../../../ui/command-kit/send-guarded.ts'
import { templateDefaults, templateFields } from '../../../ui/command-kit/template-params.ts'
import type { Chosen } from './lora-way.tsx'
import { ParamsForm } from './params-form.tsx'

/** What can be sent to a device besides what its thing model says. */
export function useDeviceTemplates(deviceId: string) {
  return useRead('commandTemplates.ofDevice', { params: { id: deviceId } })
}

/** A named command of the product, with a form for its parameters. */
export function TemplateSender({
  deviceId,
  template,
  way,
  onSent,
}: {
  deviceId: string
  template: CommandTemplateView
  way: Chosen
  onSent: (command: CommandView) => void
}) {
  const { t } = useTranslation('command-kit')
  const english = locale() === 'en'
  const fields = useMemo(() => templateFields(template.body, english), [template, english])
  return (
    <ParamsForm
      fields={fields}
      initial={templateDefaults(template.body)}
      {...(template.description ? { description: template.description } : {})}
      submitText={t('sendTemplate', { name: template.name })}
      danger={template.body.danger !== undefined}
      send={async params =>
        onSent(
          await sendGuarded(answers =>
            call('commands.create', {
              params: { id: deviceId },
              body: { kind: 'template', templateId: template.id, params, ...way(), ...answers },
            }),
          ),
        )
      }
    />
  )
}
