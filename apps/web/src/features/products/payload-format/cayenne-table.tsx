import type { ThingModel } from '@thingwright/thing-model/model'
import { useTranslation } from 'react-i18next'
import { IdentifierSelect, OptionalNumber } from './fields.tsx'
import css from './format.module.css'
import type { CayenneChannel, FormatBody } from './format-draft.ts'
import { scaleColumns } from './json-mapping.tsx'
import { RowsEditor } from './rows-editor.tsx'

/** Which channel of a Cayenne LPP frame is which property. */
export function CayenneTable({
  format,
  model,
  disabled,
  problems,
  onChange,
}: {
  format: FormatBody
  model: ThingModel
  disabled: boolean
  problems: ReadonlyMap<number, string>
  onChange: (format: FormatBody) => void
}) {
  const { t } = useTranslation('payload-format')
  return (
    <>
      <p className={css.lead}>{t('cayenne.text')}</p>
      <RowsEditor<CayenneChannel>
        label={t('kind.cayenne')}
        rows={format.channels ?? []}
        max={256}
        disabled={disabled}
        problems={problems}
        emptyText={t('cayenne.empty')}
        addText={t('cayenne.add')}
        make={rows => ({ channel: Math.min(255, (rows.at(-1)?.channel ?? 0) + 1), identifier: '' })}
        onChange={channels => onChange({ kind: 'cayenne', channels })}
        columns={[
          {
            key: 'channel',
            title: t('cayenne.channel'),
            width: 120,
            cell: (row, set, at) => (
              <OptionalNumber
                label={`${t('cayenne.channel')} ${at + 1}`}
                value={row.channel}
                integer
                min={0}
                max={255}
                disabled={disabled}
                onChange={channel => set({ channel: channel ?? 0 })}
              />
            ),
          },
          {
            key: 'identifier',
            title: t('property'),
            cell: (row, set, at) => (
              <IdentifierSelect
                label={`${t('property')} ${at + 1}`}
                model={model}
                value={row.identifier}
                disabled={disabled}
                onChange={identifier => set({ identifier })}
              />
            ),
          },
          ...scaleColumns<CayenneChannel>(t, disabled),
        ]}
      />
    </>
  )
}
