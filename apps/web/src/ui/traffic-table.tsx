import { Modal } from 'antd'
import { useMemo, useState } from 'react'
import { DataTable } from './list-page/data-table.tsx'
import type { ListColumn } from './list-page/list-types.ts'
import { TimeText } from './time-text.tsx'
import css from './ui.module.css'

interface Line {
  id: string
  time: string | null
  description: string
  properties: Record<string, string>
  body: string
}

/** JSON as it was written, set out; what is none stays as it is. */
function setOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Frames or events of a network server, the newest first; a row opens what was said. */
export function TrafficTable({
  lines,
  words,
}: {
  lines: readonly Line[]
  words: { label: string; time: string; kind: string; facts: string; body: string; open: string }
}) {
  const [open, setOpen] = useState<Line | null>(null)
  const { time, kind, facts } = words
  const columns = useMemo<ListColumn<Line>[]>(
    () => [
      {
        key: 'time',
        title: time,
        width: 170,
        required: true,
        render: line => (line.time ? <TimeText value={line.time} /> : '–'),
      },
      { key: 'kind', title: kind, minWidth: 170, required: true, render: line => line.description },
      {
        key: 'facts',
        title: facts,
        minWidth: 220,
        rank: 1,
        render: line =>
          Object.entries(line.properties)
            .map(([key, value]) => `${key} ${value}`)
            .join(' · ') || '–',
      },
    ],
    [time, kind, facts],
  )
  return (
    <>
      <DataTable
        label={words.label}
        columns={columns}
        rows={lines}
        rowKey={line => line.id}
        density="dense"
        actions={line => [{ key: 'open', label: words.open, onClick: () => setOpen(line) }]}
      />
      <Modal
        open={open !== null}
        width={720}
        title={open ? `${words.body} · ${open.description}` : words.body}
        footer={null}
        onCancel={() => setOpen(null)}
      >
        <pre className={css.said} dir="auto">
          {open && setOut(open.body)}
        </pre>
      </Modal>
    </>
  )
}
