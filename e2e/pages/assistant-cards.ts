import type { Locator, Page } from 'playwright-core'

/** What stands in the assistant's answers, in the words of the journeys. */
export class AssistantCards {
  constructor(readonly page: Page) {}

  async open(): Promise<void> {
    await this.page.getByTestId('ai-ball').click()
    await this.page.getByTestId('ai-input').waitFor()
  }

  async ask(question: string): Promise<void> {
    await this.page.getByTestId('ai-input').fill(question)
    await this.page.getByTestId('ai-send').click()
  }

  /** Asks and waits for the end of the answer. */
  async answerTo(question: string): Promise<Locator> {
    const before = await this.page.getByTestId('ai-reply').count()
    await this.ask(question)
    const reply = this.page.getByTestId('ai-reply').nth(before)
    await reply.and(this.page.locator('[data-state="2"]')).waitFor()
    return reply
  }

  /** The last card that asks for an approval. */
  get approval(): Locator {
    return this.page.getByTestId('approval').last()
  }

  async approvalIs(state: string): Promise<void> {
    await this.approval.getByTestId('approval-state').getByText(state, { exact: true }).waitFor()
  }
}
