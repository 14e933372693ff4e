/** A year of five organizations: all that may happen to their money does. Amounts in USD, but for what requests cost. */
import { randomUUID } from 'node:crypto';
import type { TestUser } from '../../harness.ts';
import type { YearWorld } from './year-world.ts';

const USD = 1_000_000;
const MONTHS = ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12'] as const;
type Month = (typeof MONTHS)[number];

/** `ada` pays by hand, `bob` by autopay; `cyd` has money given back and disputed; `dee` leaves; of `eve` the money is refused. */
export interface People {
  ada: TestUser;
  bob: TestUser;
  cyd: TestUser;
  dee: TestUser;
  eve: TestUser;
}

/** What happens in a month, after the 20th. */
const EVENTS: Record<Month, (world: YearWorld, people: People) => Promise<void>> = {
  '01': async (world, { ada, cyd }) => {
    const payment = await world.pay(ada, 25, 'test_money');
    await world.tell({ type: 'refunded', paymentId: payment, refundId: 're_test', amountMicros: 5 * USD });
    world.book(ada, 'test_money', -5);
    await world.pay(cyd, 8, 'test_money');
  },
  '02': async (world, { ada, cyd }) => {
    await world.goLive();
    world.book(ada, 'test_money', -20);
    world.book(cyd, 'test_money', -8);
    const page = await world.openTwice(ada, 30);
    world.take(page, 30);
    await world.deliver();
    world.book(ada, 'payments', 30);
    await world.tell({ type: 'canceled', paymentId: await world.open(ada, 12) });
    world.take(await world.open(ada, 13), 13, 'declined');
    await world.deliver();
  },
  '03': async (world, { ada }) => {
    await setups(world, ada);
    const debit = await world.open(ada, 40);
    await world.tell({ type: 'accepted', paymentId: debit });
    world.wait(3 * 24 * 60);
    world.take(debit, 40);
    await world.deliver();
    world.book(ada, 'payments', 40);
    // Of these nothing is heard any more.
    await world.tell({ type: 'accepted', paymentId: await world.open(ada, 50) });
    await world.tell({ type: 'accepted', paymentId: await world.open(ada, null) });
  },
  '04': async (world, { ada, bob }) => {
    world.at('04-28');
    await world.reconcile();
    const lost = await world.open(ada, 21);
    world.take(lost, 21);
    world.wait(15);
    await world.reconcile();
    world.book(ada, 'payments', 21);
    await world.deliver();
    await world.store(bob, '4242');
    await world.autopay(bob, true);
    await world.use(bob, 6 * USD);
    await world.charge(bob, 20);
  },
  '05': async (world, people) => {
    await declines(world, people.bob);
    await backAndForth(world, people.cyd);
    // Not taken, and then nobody looks for a month.
    await world.use(people.bob, 20 * USD);
    await world.once('takes no such charge');
  },
  '06': async (world, { bob, eve }) => {
    world.at('06-28');
    await world.reconcile();
    await world.charge(bob, 20);
    await refusals(world, eve);
  },
  '07': (world, { bob }) => unknowns(world, bob),
  '08': (world, { bob }) => holds(world, bob),
  '09': (world, { dee }) => leaving(world, dee),
  '10': async (world, { ada, bob }) => {
    await world.enter(ada, 'credit', 2.5);
    await world.enter(ada, 'correction', -0.000001);
    await world.enter(bob, 'correction', 1.234567);
    await world.use(bob, 21 * USD);
    while ((await world.once('takes, and the answer is lost')) !== 'no job');
  },
  '11': async (world, { bob, eve }) => {
    // Nothing was heard of it for a month; then it is listed, as is what a server of tests has refused.
    await world.reconcile();
    world.book(bob, 'payments', 20);
    world.book(eve, 'payments', 17);
    await unpaid(world, eve);
  },
  '12': async (world, { ada }) => {
    await world.prune('07-15');
    await world.use(ada, 777_777);
  },
};

/** Pages on which a payment method is stored, or is not. */
async function setups(world: YearWorld, user: TestUser): Promise<void> {
  await world.tell({ type: 'canceled', paymentId: await world.openTwice(user, null) });
  const slow = await world.open(user, null);
  await world.tell({ type: 'accepted', paymentId: slow });
  await world.tell({ type: 'failed', paymentId: slow, message: 'The bank refused.' });
  await world.store(user, '1111');
}

/** Charges that are declined, or not needed any more. Each time 4 USD are left of 24. */
async function declines(world: YearWorld, user: TestUser): Promise<void> {
  await world.use(user, 20 * USD);
  await world.enter(user, 'credit', 10);
  await world.once('takes');
  await world.use(user, 10 * USD);
  await world.once('declines');
  await world.deliver();
  await world.pay(user, 20);
  await world.use(user, 20 * USD);
  await world.once('declines');
  await world.store(user, '2222');
  await world.charge(user, 20);
  await world.use(user, 20 * USD);
  await world.open(user, null);
  await world.owner(user).remove();
  await world.store(user, '3333');
  await world.autopay(user, true);
  await world.charge(user, 20);
}

/** Charges that the provider does not have, or says nothing of. */
async function unknowns(world: YearWorld, user: TestUser): Promise<void> {
  await world.use(user, 20 * USD);
  await world.once('is not reached');
  world.wait(70);
  await world.once('is not reached');
  await world.charge(user, 20);
  await world.use(user, 20 * USD);
  await world.once('declines, and the answer is lost');
  for (let times = 0; times < 6; times += 1) {
    world.wait(31);
    await world.once('is out of reach');
  }
  await world.autopay(user, false);
  await world.deliver();
  await world.autopay(user, true);
  await world.charge(user, 20);
  // It is lost here, and not there.
  await world.use(user, 20 * USD);
  await world.once('takes, and the answer is lost');
  world.wait(31);
  await world.charge(user, 20);
}

/** What autopay waits for until it is over, or reset. */
async function holds(world: YearWorld, user: TestUser): Promise<void> {
  await world.use(user, 20 * USD);
  const paymentId = await world.charge(user, 20);
  const refund = { paymentId, refundId: 're_bob', amountMicros: 20 * USD };
  await world.tell({ ...refund, type: 'refunded' });
  world.book(user, 'refunds', -20);
  await world.tell({ ...refund, type: 'refund_failed' });
  world.book(user, 'failed_refunds', 20);
  const dispute = { paymentId, disputeId: 'dp_bob', amountMicros: 20 * USD };
  await world.tell({ ...dispute, type: 'disputed', feeMicros: 15 * USD });
  world.book(user, 'disputes', -20);
  world.book(user, 'fees', -15);
  await world.tell({ ...dispute, type: 'dispute_won', feeMicros: -15 * USD });
  world.book(user, 'disputes_won', 20);
  world.book(user, 'fees', 15);
  await world.use(user, 20 * USD);
  await world.once('takes another amount');
  await world.deliver();
  world.refuse(user, 'amount', 10);
  await world.owner(user).reset();
  await world.charge(user, 20);
}

/** Money that goes back and comes again, in whatever order that is told. */
async function backAndForth(world: YearWorld, user: TestUser): Promise<void> {
  const first = await world.pay(user, 40);
  const other = { paymentId: first, refundId: 're_cyd', amountMicros: 5.55 * USD };
  await world.tell({ ...other, type: 'refund_failed' });
  await world.tell({ ...other, type: 'refunded' });
  world.book(user, 'refunds', -5.55);
  world.book(user, 'failed_refunds', 5.55);
  await world.tell({ type: 'refunded', paymentId: first, refundId: 're_part', amountMicros: 3.01 * USD });
  world.book(user, 'refunds', -3.01);
  // Of more than was paid: its bank disputes other charges with it.
  const dispute = { paymentId: await world.pay(user, 33), disputeId: 'dp_cyd', amountMicros: 40 * USD };
  await world.tell({ ...dispute, type: 'dispute_opened' });
  await world.tell({ ...dispute, type: 'disputed', feeMicros: 15 * USD });
  world.book(user, 'disputes', -40);
  world.book(user, 'fees', -15);
  const won = { paymentId: await world.pay(user, 9), disputeId: 'dp_won', amountMicros: 9 * USD };
  await world.tell({ ...won, type: 'dispute_won' });
  world.book(user, 'disputes', -9);
  world.book(user, 'disputes_won', 9);
}

/** Money that is not what was asked for. */
async function refusals(world: YearWorld, user: TestUser): Promise<void> {
  world.take(await world.open(user, 20), 20, 'in another currency');
  world.refuse(user, 'currency', null);
  world.take(await world.open(user, 20), 20, 'of another amount');
  world.refuse(user, 'amount', 10);
  const paymentId = await world.pay(user, 20);
  world.take(paymentId, 20);
  world.refuse(user, 'second', 20);
  await world.tell({ type: 'refunded', paymentId, refundId: 're_more', amountMicros: 30 * USD });
  world.refuse(user, 'amount', 30);
  const { services } = world;
  const page = await world.open(user, 17);
  world.services = { ...services, config: { ...services.config, stripe: undefined } };
  world.take(page, 17);
  await world.deliver();
  // Its own server is to find it, later.
  world.refuse(user, 'mode', 17, true);
  world.services = services;
}

/** What was given back of a payment that is refused afterwards, and then accepted. */
async function unpaid(world: YearWorld, user: TestUser): Promise<void> {
  const paymentId = await world.open(user, 20);
  await world.tell({ type: 'refunded', paymentId, providerId: 'pi_eve', refundId: 're_before', amountMicros: 5 * USD });
  world.book(user, 'refunds', -5);
  const charge = { type: 'paid', paymentId, providerId: 'pi_eve' } as const;
  await world.tell({ ...charge, amountMicros: 10 * USD });
  for (const usd of [5, 10]) world.refuse(user, 'amount', usd, true);
  world.book(user, 'corrections', 5);
  await world.tell({ ...charge, amountMicros: 20 * USD });
  world.book(user, 'corrections', -5);
  world.book(user, 'payments', 20);
  // Of another, which is never accepted, nothing has a receipt.
  const of = { paymentId: await world.open(user, 20), providerId: 'pi_mal' };
  await world.tell({ ...of, type: 'refunded', refundId: 're_never', amountMicros: 5 * USD });
  world.book(user, 'refunds', -5);
  await world.tell({ ...of, type: 'paid', amountMicros: 10 * USD });
  for (const usd of [5, 10]) world.refuse(user, 'amount', usd);
  world.book(user, 'corrections', 5);
}

/** The organization is deleted with what it has; what goes back of its money later, or returns, leaves nothing. */
async function leaving(world: YearWorld, user: TestUser): Promise<void> {
  const paymentId = await world.pay(user, 50);
  await world.remove(user);
  await world.once('takes');
  const refund = { paymentId, refundId: 're_gone', amountMicros: 7 * USD };
  await world.tell({ ...refund, type: 'refunded' });
  world.book(user, 'refunds', -7);
  await world.tell({ ...refund, type: 'refund_failed' });
  world.book(user, 'failed_refunds', 7);
  const dispute = { paymentId, disputeId: `dp_${randomUUID()}`, amountMicros: 50 * USD };
  await world.tell({ ...dispute, type: 'disputed', feeMicros: 15 * USD });
  world.book(user, 'disputes', -50);
  world.book(user, 'fees', -15);
  world.book(user, 'corrections', 65);
  world.take(paymentId, 50);
  await world.deliver();
  world.refuse(user, 'gone', 50);
}

/** Writes the year. */
export async function writeYear(world: YearWorld): Promise<People> {
  const [ada, bob, cyd] = [await world.join(), await world.join(), await world.join()];
  const people = { ada, bob, cyd, dee: await world.join(), eve: await world.join() };
  for (const month of MONTHS) {
    for (let day = 1; day <= 19; day += 3) {
      world.at(`${month}-${String(day).padStart(2, '0')}`);
      await world.use(ada, 123_457 + 1001 * day);
      if (month < '10') await world.use(people.dee, 98_765 + day);
      await world.post();
    }
    // It ended on a day that is posted, and is another part of it.
    await world.use(people.cyd, 4321);
    world.wait(24 * 60);
    await world.post();
    await world.use(people.cyd, 1234, { days: 1, month: `2031-${month}` });
    world.at(`${month}-22`);
    await EVENTS[month](world, people);
  }
  await lastDay(world, people);
  return people;
}

/** What ends on the last day is of the year, also what is told of it after midnight. */
async function lastDay(world: YearWorld, { cyd }: People): Promise<void> {
  world.at('12-31', '23:59');
  await world.use(cyd, 11);
  world.wait(2);
  await world.post();
  await world.use(cyd, 13, { days: 1, month: '2031-12' });
  world.wait(24 * 60);
  await world.post();
}
