import type { CommandView } from '@thingwright/contracts/commands.contract'
import { Segmented } from 'antd'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../../lib/api-client.ts'
import { sendGuarded } from '../../../ui/command-kit/send-guarded.ts'
import type { Field } from '../../../ui/schema-form/field.ts'
import type { Chosen } from './lora-way.tsx'
import { ParamsForm } from './params-form.tsx'

const HEX = /^\s*[0-9a-fA-F]{2}(?:[\s,:-]*[0-9a-fA-F]{2})*[\s,:-]*$/

/** Bytes as they are, typed as hex or as text. */
export function RawSender({
  deviceId,
  way,
  onSent,
}: {
  deviceId: string
  way: Chosen
  onSent: (command: CommandView) => void
}) {
  const { t } = useTranslation('command-kit')
  const [as, setAs] = useState<'hex' | 'text'>('hex')
  const fields = useMemo<Field[]>(
    () => [
      {
        key: 'payload',
        kind: 'string',
        label: t(as === 'hex' ? 'rawHex' : 'rawText'),
        required: true,
        rows: 4,
        mono: true,
        keepSpaces: as === 'text',
        maxLength: 8192,
        help: t(as === 'hex' ? 'rawHexHelp' : 'rawTextHelp'),
        ...(as === 'hex' ? { pattern: HEX, patternText: t('rawHexRule') } : {}),
      },
    ],
    [as, t],
  )
  return (
    <>
      <Segmented
        value={as}
        options={[
          { value: 'hex', label: 'HEX' },
          { value: 'text', label: t('text') },
        ]}
        onChange={next => setAs(next as typeof as)}
      />
      <ParamsForm
        key={as}
        fields={fields}
        serverPrefix=""
        submitText={t('sendRaw')}
        danger={false}
        send={async ({ payload }) =>
          onSent(
            await sendGuarded(answers =>
              call('commands.create', {
                params: { id: deviceId },
                body: { kind: 'raw', payload: { [as]: String(payload) }, ...way(), ...answers },
              }),
            ),
          )
        }
      />
    </>
  )
}
