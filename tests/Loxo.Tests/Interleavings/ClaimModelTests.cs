namespace Loxo.Tests.Interleavings;

/// <summary>
/// The steps by which <c>ServerSession.TryTake</c> claims a session, <c>TakeBack</c> ends a rental and <c>HandOver</c> begins the next, one access to memory each. Every
/// order is tried; a claim that succeeds for somebody who does not have the session is a failure.
/// </summary>
public class ClaimModelTests
{
    private const int Free = 0, Former = 1, Next = 2;

    /// <summary>What the model does differently from the driver.</summary>
    public enum Flaw
    {
        None,
        OwnerIsNotChecked,
        OwnerIsCheckedFirst,
        NumberStaysTheSame,
        NumberChangesFirst,
    }

    [Test]
    public void A_session_is_claimed_by_its_renter_alone()
    {
        var interleaver = Explore(Flaw.None);

        Assert.That(interleaver.Failures, Is.Empty);
        Assert.That(interleaver.Runs, Is.GreaterThan(100));
    }

    [Test]
    public void Every_step_is_needed([Values(Flaw.OwnerIsNotChecked, Flaw.OwnerIsCheckedFirst, Flaw.NumberStaysTheSame, Flaw.NumberChangesFirst)] Flaw flaw) =>
        Assert.That(Explore(flaw).Failures, Is.Not.Empty);

    private static Interleaver Explore(Flaw flaw)
    {
        var interleaver = new Interleaver(preemptions: int.MaxValue);
        interleaver.Explore(() =>
        {
            var session = new Model(flaw);
            return ([session.GiveBackAndHandOn, () => session.Command(Former)], () => session.Failure);
        });
        return interleaver;
    }

    private sealed class Model(Flaw flaw)
    {
        private int _number;
        private bool _isBusy;
        private int _owner = Former;
        // Who may use it; TakeBack and HandOver are over when it changes.
        private int _renter = Former;

        public string? Failure { get; private set; }

        // EndClose of one connection, Opened of another, and the first command of that.
        public void GiveBackAndHandOn()
        {
            if (!TakeBack())
                return; // The pool closes it.
            _renter = Free;
            Interleaver.Point();
            _owner = Next;
            _renter = Next;
            Command(Next);
        }

        public void Command(int owner)
        {
            if (!TryTake(owner))
            {
                if (owner == Next)
                    Failure ??= "the next renter finds the session in use";
                return;
            }
            if (_renter != owner)
                Failure ??= $"{owner} has claimed the session of {_renter}";
            Interleaver.Point();
            _isBusy = false;
        }

        private bool TakeBack()
        {
            if (flaw == Flaw.NumberChangesFirst)
                return TryChangeNumber() && ForgetOwner();
            return ForgetOwner() && TryChangeNumber();
        }

        private bool ForgetOwner()
        {
            Interleaver.Point();
            _owner = Free;
            return true;
        }

        private bool TryChangeNumber()
        {
            Interleaver.Point();
            var (number, isBusy) = (_number, _isBusy);
            Interleaver.Point();
            if (isBusy || flaw == Flaw.NumberStaysTheSame)
                return !isBusy;
            return TrySet(number, isBusy: false);
        }

        private bool TryTake(int owner)
        {
            if (flaw == Flaw.OwnerIsCheckedFirst && !IsOwner(owner))
                return false;
            Interleaver.Point();
            var (number, isBusy) = (_number, _isBusy);
            if (isBusy || flaw is not (Flaw.OwnerIsNotChecked or Flaw.OwnerIsCheckedFirst) && !IsOwner(owner))
                return false;
            Interleaver.Point();
            return TrySet(number, isBusy: true);
        }

        private bool IsOwner(int owner)
        {
            Interleaver.Point();
            return _owner == owner;
        }

        // The word is exchanged if it is still that of an idle session with that number.
        private bool TrySet(int number, bool isBusy)
        {
            if (_number != number || _isBusy)
                return false;
            (_number, _isBusy) = (number + 1, isBusy);
            return true;
        }
    }
}
