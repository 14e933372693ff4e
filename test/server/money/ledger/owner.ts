import { randomUUID } from 'node:crypto';
import { Refusal } from '#server/platform/refusal.ts';
import { begin } from '#server/money/billing/begin.ts';
import { removeMethod, resetError } from '#server/money/billing/paying.ts';
import { versionOf } from '#server/money/billing/error.ts';
import { readAccount, updateSettings } from '#server/money/billing/settings.ts';
import { availableMicros } from '#server/money/ledger/accounts.ts';
import { wantFunds } from '#server/money/ledger/schedule.ts';
import { enterCorrection } from '#server/money/payments/correct.ts';
import { changeOrganizationLimits, changeProjectLimits } from '#server/money/limits/change.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { booksOf } from '#server/money/payments/leave.ts';
import type { PaymentDriver } from '#server/money/payments/port.ts';
import { cancelOnDelete } from '#server/money/usage/record.ts';
import type { Services } from '#server/platform/context.ts';
import type { Db } from '#server/platform/db/database.ts';
import { deleteOrganization } from '#server/tenancy/organizations/delete.ts';
import { createOrganization } from '#server/tenancy/organizations/queries.ts';
import { deleteProject } from '#server/tenancy/projects/delete.ts';
import type { TestUser } from '../../harness.ts';
import { accountOf } from '../books.ts';
import type { Corrected } from './causes.ts';
import type { OwnStep } from './steps.ts';

/** Why an organization stays. */
const REFUSALS: ReadonlySet<string> = new Set(['payment_under_way', 'balance_negative', 'balance_positive']);

/** What an organization's owner does in the console, and the operator for it. */
export class Owner {
  readonly corrections: Corrected[] = [];
  /** Organizations of the same person, as far as that is certain, whether or not they are there. */
  readonly made: string[];
  readonly #services: Services;
  readonly #driver: PaymentDriver;
  readonly #user: TestUser;
  /** Of one who never ends. */
  readonly #db: Db;

  constructor(services: Services, driver: PaymentDriver, user: TestUser, db: Db) {
    this.#services = services;
    this.#driver = driver;
    this.#user = user;
    this.#db = db;
    this.made = [user.organizationId];
  }

  get #paying() {
    return { services: this.#services, driver: this.#driver };
  }
  get #act() {
    const { userId, email } = this.#user;
    return { userId, email, requestId: 'r', at: this.#services.clock() };
  }

  /** Reads again what has changed meanwhile. */
  async reset(): Promise<void> {
    const { organizationId } = this.#user;
    const read = await versionOf(this.#services.db, await readAccount(this.#services.db, organizationId));
    try {
      await resetError(this.#paying, this.#act, organizationId, read);
    } catch (error) {
      if (!(error instanceof Refusal) || error.type !== 'payment_error_changed') throw error;
      await this.reset();
    }
  }

  async remove(): Promise<void> {
    await removeMethod(this.#paying, this.#act, this.#user.organizationId);
  }

  async settings({
    enabled,
    thresholdCents,
    amountCents,
  }: Pick<OwnStep & { do: 'settings' }, 'enabled' | 'thresholdCents' | 'amountCents'>): Promise<void> {
    const { organizationId } = this.#user;
    const account = await accountOf(this.#db, organizationId);
    const autopay = {
      enabled: enabled && (account?.method_id ?? null) !== null,
      threshold_micros: thresholdCents * 10_000,
      amount_micros: amountCents * 10_000,
    };
    try {
      await updateSettings(this.#services, this.#act, organizationId, { autopay });
    } catch (error) {
      // It may be taken away at the same time.
      if (!(error instanceof Refusal && error.type === 'payment_method_missing')) throw error;
    }
  }

  /** Limits of a month. @param projectId null: of the organization */
  async limit(
    projectId: string | null,
    wanted: { budget_micros: number | null } | { audio_minutes: number | null },
  ): Promise<void> {
    const { organizationId } = this.#user;
    const reading = { ...this.#services, limitDefaults: LIMIT_DEFAULTS };
    try {
      if (projectId === null) await changeOrganizationLimits(reading, this.#act, organizationId, wanted);
      else await changeProjectLimits(reading, this.#act, { organizationId, projectId, name: 'P' }, wanted);
    } catch (error) {
      // A project's is no more than its organization's.
      if (!(error instanceof Refusal && error.type === 'limit_too_high')) throw error;
    }
  }

  /** @returns whether there is a page */
  async begin(attempt: string, amountMicros: number | null): Promise<boolean> {
    // How often somebody may begin is not what is looked at.
    await this.#db.deleteFrom('rate_limits').execute();
    try {
      await begin(this.#paying, this.#act, this.#user.organizationId, { attempt, amountMicros });
      return true;
    } catch (error) {
      // The method is removed meanwhile, and so is what the page would have stored; or nothing has a price.
      const refusal = amountMicros === null ? 'payment_ended' : 'nothing_charged';
      if (error instanceof Refusal && error.type === refusal) return false;
      throw error;
    }
  }

  /** A request is refused that needs so much. */
  want = (micros: number): Promise<void> =>
    wantFunds(this.#services.db, this.#user.organizationId, micros, this.#services.clock);

  async correct(micros: number): Promise<void> {
    const correction = { reference: randomUUID(), micros, isEntered: false };
    this.corrections.push(correction);
    await this.enter(correction);
  }

  async enter(correction: Corrected): Promise<void> {
    const { reference, micros } = correction;
    const { organizationId } = this.#user;
    await enterCorrection(this.#services, {
      ...{ organizationId, kind: 'correction', micros, reference },
      description: 'Put right',
    });
    correction.isEntered = true;
  }

  /** Lets all be entered that was tried. */
  async enterAll(): Promise<void> {
    for (const correction of this.corrections) if (!correction.isEntered) await this.enter(correction);
  }

  /** Pays what it owes, in money that counts at once. */
  async clear(): Promise<void> {
    const left = (await availableMicros(this.#db, this.#user.organizationId)) ?? 0;
    if (left < 0) await this.correct(-left);
  }

  /** The same person makes another organization. @param isGone whether that of before goes first */
  async found(isGone: boolean): Promise<void> {
    const before = this.made.at(-1);
    if (isGone && before !== undefined && this.made.length > 1) await this.delete(before);
    try {
      const wanted = { name: 'Another', contact_email: this.#user.email };
      this.made.push(await createOrganization(this.#services.db, this.#act, wanted));
    } catch (error) {
      // There are only so many.
      if (!(error instanceof Refusal && error.type === 'limit_exceeded')) throw error;
    }
  }

  async drop(projectId: string): Promise<void> {
    const project = { organizationId: this.#user.organizationId, projectId, name: 'P', role: 'owner' } as const;
    await deleteProject(this.#services.db, this.#act, project, cancelOnDelete);
  }

  /** Its money may be on its way, it may owe some, or have more than it was read to have; then it stays. */
  async delete(organizationId = this.#user.organizationId): Promise<void> {
    // What was read may not be true any more as it goes.
    const forfeitedMicros = Math.max(0, (await availableMicros(this.#db, organizationId)) ?? 0);
    try {
      await deleteOrganization(
        this.#services.db,
        this.#act,
        { organizationId, forfeitedMicros },
        booksOf(this.#services, this.#driver),
      );
    } catch (error) {
      if (!(error instanceof Refusal && REFUSALS.has(error.type))) throw error;
    }
  }
}
