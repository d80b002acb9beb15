import { describe, expect, it } from 'vitest'
import { assistantStage } from '../fixtures/assistant-stage.ts'
import { WORDS } from '../fixtures/assistant-words.ts'
import { AssistantWindow } from '../pages/assistant-window.ts'
import { ConsolePage } from '../pages/console-page.ts'

/** The conversations of a person in his browser (specification §3, interfaces §5). */
export function assistantHistory(locale: 'zh' | 'en'): void {
  describe(`the history of the assistant (${locale})`, () => {
    const words = WORDS[locale]
    const stage = assistantStage(locale)

    /** Asks in the open conversation and has it answered at once. */
    async function asked(question: string, answer = `about ${question}`, window = stage.panel): Promise<void> {
      const { proxy } = stage
      const before = await window.part('reply').count()
      const scripted = proxy.script()
      await window.ask(question)
      const reply = await scripted
      reply.text(answer)
      reply.end()
      await window.finished(before)
    }
    const names = () => stage.panel.part('chat').locator('span:first-child').allInnerTexts()
    const openHistory = async () => {
      const { panel } = stage
      await panel.part('history-button').click()
      await panel.part('history-popup').waitFor()
    }
    const questions = (window = stage.panel) => window.part('question').allInnerTexts()

    it('keeps conversations in a database of the person, newest first, and finds them again', async () => {
      const { proxy, page, shell, panel } = stage
      await shell.enterAt('/manage/product')
      await panel.open()
      await asked('first pump', 'the **answer** about the valve')
      await panel.part('new-chat').click()
      await asked('second lamp')
      await panel.part('new-chat').click()
      await asked('third door')
      await openHistory()
      expect((await panel.rested(panel.part('history-popup'))).width).toBe(300)
      await expect.poll(names).toEqual(['third door', 'second lamp', 'first pump'])
      const { id } = JSON.parse((await shell.local('userToken'))!) as { id: string }
      const kept = () =>
        page.evaluate(
          userId =>
            new Promise<unknown>((resolve, reject) => {
              const opening = indexedDB.open(`thingwright-assistant-${userId}`)
              opening.onerror = () => reject(opening.error)
              opening.onsuccess = () => {
                const db = opening.result
                const table = db.transaction(userId).objectStore(userId)
                const all = table.index('time').getAll()
                all.onsuccess = () => {
                  db.close()
                  resolve({
                    tables: [...db.objectStoreNames],
                    // Dexie counts versions in tens.
                    version: db.version / 10,
                    key: [table.keyPath, table.autoIncrement],
                    rows: (all.result as { content: object[] }[]).map(({ content, ...row }) => ({
                      ...row,
                      content: content.map(message =>
                        Object.fromEntries(
                          Object.entries(message).filter(([name]) => ['type', 'data', 'state'].includes(name)),
                        ),
                      ),
                    })),
                  })
                }
              }
            }),
          id,
        )
      const message = (type: string, data: string, state: number) => ({ type, data, state })
      const row = (n: number, name: string, answer = `about ${name}`) => ({
        id: n,
        name,
        time: expect.any(Number),
        chatId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        content: [message('R', name, 0), message('L', answer, 2)],
      })
      // A reply is shown before it is kept.
      await expect.poll(kept).toEqual({
        tables: [id],
        version: 1,
        key: ['id', true],
        rows: [row(1, 'first pump', 'the **answer** about the valve'), row(2, 'second lamp'), row(3, 'third door')],
      })
      // Names and texts are looked through.
      await panel.part('history-search').fill('VALVE')
      await expect.poll(names).toEqual(['first pump'])
      await panel.part('history-search').fill('nothing like it')
      await panel.part('history').getByText(words.history.notFound.replace('{{q}}', 'nothing like it')).waitFor()
      await panel.part('history-search').fill('first')
      await panel.part('chat').getByText('first pump').click()
      await panel.part('history-popup').waitFor({ state: 'detached' })
      await expect.poll(questions).toEqual([expect.stringContaining('first pump')])
      // Asked further, it becomes the newest; the server is told the same conversation.
      await asked('and now')
      expect(proxy.questions.at(-1)!.query.chatId).toBe(proxy.questions.at(-4)!.query.chatId)
      await openHistory()
      await expect.poll(names).toEqual(['first pump', 'third door', 'second lamp'])
      await page.reload()
      await panel.open()
      await openHistory()
      await expect.poll(names).toEqual(['first pump', 'third door', 'second lamp'])
    })

    it('renames, deletes and clears, and the server forgets as well', async () => {
      const { page, shell, panel } = stage
      const removed: string[] = []
      page.on('request', request => {
        if (request.method() === 'DELETE') removed.push(new URL(request.url()).pathname)
      })
      await shell.enterAt('/manage/product')
      await panel.open()
      for (const question of ['one', 'two', 'three']) {
        await asked(question)
        await panel.part('new-chat').click()
      }
      await openHistory()
      const chat = (name: string) => panel.part('chat').filter({ hasText: name })
      await chat('two').hover()
      await chat('two').getByTestId('ai-rename').click()
      const field = panel.part('rename-input')
      await field.fill('   ')
      await field.press('Enter')
      await shell.hasNotice(words.history.nameEmpty)
      await field.fill('renamed pump')
      await field.press('Enter')
      await shell.hasNotice(words.history.renamed)
      await expect.poll(names).toEqual(['three', 'renamed pump', 'one'])
      await chat('one').hover()
      await chat('one').getByTestId('ai-delete').click()
      await panel.part('delete-yes').click()
      await expect.poll(names).toEqual(['three', 'renamed pump'])
      await expect.poll(() => removed).toEqual([expect.stringMatching(/^\/api\/v1\/assistant\/chats\/[0-9a-f-]{36}$/)])

      // Refused by the server, it stays.
      await page.route('**/api/v1/assistant/chats', route => route.fulfill({ status: 403, json: { code: 'x.y' } }))
      await panel.part('history-clear').click()
      await panel.part('clear-yes').click()
      await shell.hasNotice(words.history.deleteFailed)
      await expect.poll(names).toEqual(['three', 'renamed pump'])
      await page.unroute('**/api/v1/assistant/chats')
      // Renamed while it is deleted behind the page's back: said.
      await chat('three').hover()
      await chat('three').getByTestId('ai-rename').click()
      await field.fill('too late')
      await page.evaluate(
        id =>
          new Promise<void>((resolve, reject) => {
            const open = indexedDB.open(`thingwright-assistant-${id}`)
            open.onerror = () => reject(open.error)
            open.onsuccess = () => {
              const change = open.result.transaction(id, 'readwrite')
              change.objectStore(id).delete(3)
              change.oncomplete = () => resolve()
              change.onabort = () => reject(change.error)
            }
          }),
        JSON.parse((await shell.local('userToken'))!).id as string,
      )
      await field.press('Enter')
      await shell.hasNotice(words.history.renameFailed)
      await panel.part('history-clear').click()
      await panel.part('history').getByText(words.history.confirmClear).waitFor()
      await panel.part('clear-no').click()
      await expect.poll(names).toContain('renamed pump')
      await panel.part('history-clear').click()
      await panel.part('clear-yes').click()
      await shell.hasNotice(words.history.deleted)
      await panel.part('history').getByText(words.history.empty, { exact: true }).waitFor()
      await expect.poll(() => removed.at(-1)).toBe('/api/v1/assistant/chats')
      await panel.part('history-close').click()
      await panel.part('history-popup').waitFor({ state: 'detached' })
    })

    it('stands at the side over the whole screen, and is blocked while a reply is being given', async () => {
      const { proxy, shell, panel } = stage
      await shell.enterAt('/manage/product')
      await panel.open()
      await asked('one')
      await panel.part('full').click()
      expect((await panel.rested(panel.part('sidebar'))).width).toBe(300)
      await panel.part('new-chat').click()
      await asked('two')
      await panel.part('chat').getByText('one').click()
      await expect.poll(questions).toEqual([expect.stringContaining('one')])
      const scripted = proxy.script()
      await panel.ask('further')
      const reply = await scripted
      await panel.refused(panel.part('chat').filter({ hasText: 'two' }).getByRole('button').first())
      await shell.hasNotice(words.tip.asking)
      for (const name of ['new-chat', 'history-clear']) {
        await panel.tip(panel.part(name), words.tip.asking)
        await panel.refused(panel.part(name))
      }
      expect(await panel.part('clear-yes').count()).toBe(0)
      expect(await questions()).toHaveLength(2)
      reply.text('done')
      reply.end()
      await panel.finished(1)
      await panel.part('chat').getByText('two').click()
      await expect.poll(questions).toEqual([expect.stringContaining('two')])
    })

    it('goes on with a reply whose page was left in the middle of it', async () => {
      const { proxy, page, shell, panel } = stage
      await shell.enterAt('/manage/product')
      await panel.open()
      const scripted = proxy.script('reply-left')
      await panel.ask('one')
      const left = await scripted
      left.text('half ')
      await panel.part('reply').getByText('half').waitFor()
      await expect.poll(() => panel.stored('half')).toBe(true)
      // Loaded anew, the page goes on with it by itself.
      const again = proxy.script('reply-left')
      await page.reload()
      const rest = await again
      expect(proxy.questions.at(-1)!.headers['last-event-id']).toBe('reply-left:0')
      await panel.open()
      await panel.part('question').getByText('one').waitFor()
      rest.text('half and whole')
      rest.end()
      await expect.poll(async () => (await panel.finished()).innerText()).toContain('half and whole')
      // The server no longer has it: what had come is shown, with the reason.
      const other = proxy.script('reply-lost')
      await panel.ask('two')
      ;(await other).text('begun ')
      await expect.poll(() => panel.stored('begun')).toBe(true)
      proxy.refuse(404, { code: 'assistant.reply_not_found', message: 'gone' })
      await page.reload()
      await panel.open()
      const lost = await panel.finished(1)
      await expect.poll(() => lost.innerText()).toContain('begun')
      await expect.poll(() => lost.innerText()).toContain(words.error.cut)
    })

    it('is not offered where the browser has no database; questions are answered all the same', async () => {
      const { context, shell, panel } = stage
      await context.addInitScript(() => {
        Object.defineProperty(window, 'indexedDB', { value: undefined })
      })
      await shell.enterAt('/manage/product')
      await panel.open()
      const button = panel.part('history-button')
      await panel.tip(button, words.tip.noDatabase)
      await panel.refused(button)
      await shell.hasNotice(words.tip.noDatabase)
      expect(await panel.part('history-popup').count()).toBe(0)
      await asked('one')
      await expect.poll(() => panel.part('reply').innerText()).toContain('about one')
    })

    it('is joined where two tabs ask in the same conversation', async () => {
      const { proxy, context, shell, panel } = stage
      await shell.enterAt('/manage/product')
      await panel.open()
      await asked('first')
      const second = new AssistantWindow(await context.newPage())
      await new ConsolePage(second.page, proxy.url).open('/manage/device')
      await second.open()
      await second.part('history-button').click()
      await second.part('chat').getByText('first').click()
      await expect.poll(() => questions(second)).toHaveLength(1)
      await asked('from the second', 'b', second)
      // The first tab sees it, and what it adds does not take it away.
      await expect.poll(() => questions()).toHaveLength(2)
      await asked('from the first', 'c')
      await expect.poll(() => questions(second)).toHaveLength(3)
      await second.page.reload()
      await second.open()
      await second.part('history-button').click()
      await second.part('chat').getByText('first').click()
      await expect
        .poll(() => questions(second))
        .toEqual(['first', 'from the second', 'from the first'].map(text => expect.stringContaining(text)))
      // Deleted in one, it is gone from the other.
      await openHistory()
      await panel.part('chat').first().hover()
      await panel.part('delete').first().click()
      await panel.part('delete-yes').click()
      await expect.poll(() => questions(second)).toHaveLength(0)
    })

    it('belongs to one person: the next one in the same browser sees nothing of it', async () => {
      const { page, shell, panel } = stage
      await shell.enterAt('/manage/product')
      await panel.open()
      await asked('mine alone')
      await panel.part('close').click()
      await page.getByTestId('header').locator('button[aria-haspopup=menu]').last().click()
      await page.getByTestId('menu-sign-out').click()
      await page.getByTestId('sign-in-card').waitFor()
      await panel.open()
      expect(await panel.part('question').count()).toBe(0)
      await panel.part('sign-in').click()
      await shell.signIn('operator')
      await page.getByTestId('side-menu').waitFor()
      await panel.open()
      expect(await panel.part('question').count()).toBe(0)
      await openHistory()
      await panel.part('history').getByText(words.history.empty, { exact: true }).waitFor()
      expect(await panel.part('chat').count()).toBe(0)
    })
  })
}
