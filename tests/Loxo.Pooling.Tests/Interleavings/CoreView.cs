using Loxo.Pooling.Core;

namespace Loxo.Pooling.Tests.Interleavings;

using ModelCore = PoolCore<Thing, ModelSteps>;
using Stack = IdleStack<Thing, ModelSteps>;
using Queue = IdleQueue<Thing, ModelSteps>;
using Fields = CoreFields<Thing, ModelSteps>;
using QueueFields = IdleQueueFields<Thing, ModelSteps>;

/// <summary>The private state of a core: what the checker hashes, and what must hold.</summary>
internal sealed class CoreView(ModelCore core)
{
    private readonly IdleStore<Thing> _idle = Fields.Idle(core);
    private readonly SlotTable<Thing> _slots = Fields.Slots(core);

    public int Total => Fields.Total(core);

    public int Opening => Fields.Opening(core);

    public int Retiring => Fields.Retiring(core);

    public int Maximum => Fields.Maximum(core);

    public int Pressure => Fields.Pressure(core);

    public int Generation => Fields.Generation(core);

    public bool IsClosed => Fields.Closed(core);

    public Waiter<Thing>? FirstInLine => Fields.Line(core).First;

    public int InLine => Fields.Line(core).Count;

    public bool MayOpen => Total < Maximum && Opening < Fields.MaximumOpens(core);

    public Waiter<Thing>? Spare => Fields.Spare(core);

    public Waiter<Thing>? BroughtBack => Fields.BroughtBack(core);

    public Slot<Thing>[] Slots => _slots.All;

    /// <summary>What the store's ends are, as one number.</summary>
    public long Ends => _idle is Stack stack ? stack.Top : ((long)QueueFields.First((Queue)_idle) << 32) | (uint)QueueFields.Last((Queue)_idle);

    /// <summary>What lies in the store, first to be taken first. Ends early if the links run in a circle.</summary>
    public List<Slot<Thing>> Idle
    {
        get
        {
            var found = new List<Slot<Thing>>();
            var link = _idle is Stack stack ? (int)stack.Top : QueueFields.First((Queue)_idle);
            for (; link != 0 && found.Count <= Slots.Length; link = found[^1].Below)
                found.Add(_slots.At(link));
            return found;
        }
    }

    /// <summary>The same as a hash.</summary>
    public ulong IdleHash
    {
        get
        {
            var hash = 3UL;
            var link = _idle is Stack stack ? (int)stack.Top : QueueFields.First((Queue)_idle);
            for (var count = 0; link != 0 && count <= Slots.Length; count++, link = _slots.At(link).Below)
                hash = Hash.Mix(hash, (ulong)link);
            return hash;
        }
    }
}
