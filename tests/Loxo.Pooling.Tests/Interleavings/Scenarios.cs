namespace Loxo.Pooling.Tests.Interleavings;

/// <summary>
/// What is tried. Most have four callers and three resources; where fewer resources may exist it is because only then the callers must
/// wait.
/// </summary>
internal static class Scenarios
{
    public static readonly Scenario[] All =
    [
        new("three resources for four callers", 3, does =>
            [[does.Rent, does.Return], [does.RentAsync, does.ReturnAsync], [does.Rent, does.Return], [does.RentAsync, does.ReturnAsync]]) { Warm = 1 },
        new("three idle resources for four callers", 3, does =>
            [[does.Rent, does.Return], [does.RentAsync, does.Return], [does.Rent, does.Return], [does.Rent, does.ReturnAsync]]) { Warm = 3 },
        new("one resource for four callers", 2, does =>
            [[does.Rent, does.Return], [does.RentAsync, does.ReturnAsync], [does.Rent, does.Return], [does.RentAsync, does.Return]]) { Maximum = 1, Warm = 1 },
        new("one resource that is not checked, for four callers", 2, does =>
            [[does.Rent, does.Return], [does.RentAsync, does.ReturnAsync], [does.Clear], [does.RentAsync, does.Return]]) { Maximum = 1, Warm = 1, IsChecked = false },
        new("rent and return twice", 3, does =>
            [[does.Rent, does.Return, does.Rent, does.Return], [does.RentAsync, does.Return], [does.Rent, does.Return]]) { Maximum = 1, Warm = 1 },
        new("the top of the stack comes back", 2, does =>
            [[does.Rent, does.Return], [does.Rent, does.Rent, does.Return, does.Return], [does.RentIdle, does.Return], [does.RentIdle, does.Return]]) { Warm = 3 },
        new("one breaks", 2, does =>
            [[does.Rent, does.Discard], [does.RentAsync, does.ReturnAsync], [does.Rent, does.Return], [does.RentAsync, does.Discard]]) { Maximum = 2, Warm = 1 },
        new("one breaks and all have waited", 2, does =>
            [[does.ReturnRented(0)], [does.DiscardRented(1)], [does.Rent, does.Return], [does.RentAsync, does.Return]]) { Maximum = 2, Warm = 2, Rented = 2 },
        new("one cannot wait for long", 2, does =>
            [[does.Rent, does.Return], [does.RentInTime, does.Return], [does.RentAsync, does.Return], [does.RentInTime, does.Return]]) { Maximum = 1, Warm = 1 },
        new("the time of one is over", 2, does =>
            [[does.Rent, does.Return], [does.RentInTimeAsync, does.Return], [does.TimePass], [does.RentAsync, does.Return]]) { Maximum = 1, Warm = 1 },
        new("one is cancelled", 2, does =>
            [[does.Rent, does.Return], [does.RentCancellable, does.Return], [does.Cancel], [does.RentAsync, does.Return]]) { Maximum = 1, Warm = 1 },
        new("opening fails", 2, does =>
            [[does.RentFailing, does.Return], [does.Rent, does.Return], [does.RentFailing, does.Return], [does.RentAsync, does.Return]]) { Maximum = 1 },
        new("opening fails while another opens", 2, does =>
            [[does.RentFailing, does.Return], [does.Rent, does.Return], [does.RentAsync, does.Return], [does.Rent, does.Discard]]) { Maximum = 2 },
        new("one opens at a time", 2, does =>
            [[does.Rent, does.Return], [does.RentAsync, does.Return], [does.RentFailing, does.Return], [does.Rent, does.Discard]]) { MaximumOpens = 1 },
        new("the check refuses one", 2, does =>
            [[does.Spoil(1), does.Rent, does.Return], [does.RentAsync, does.Return], [does.Rent, does.Return], [does.RentAsync, does.Return]]) { Maximum = 1, Warm = 1 },
        new("clear", 2, does =>
            [[does.Rent, does.Return], [does.RentAsync, does.Return], [does.Clear], [does.Rent, does.Return]]) { Maximum = 2, Warm = 2 },
        new("clear while one returns", 3, does =>
            [[does.ReturnRented(0)], [does.Clear], [does.RentIdle, does.Return]]) { Warm = 2, Rented = 1 },
        new("dispose", 2, does =>
            [[does.Rent, does.Return], [does.RentAsync, does.Return], [does.Dispose], [does.Rent, does.Return]]) { Maximum = 2, Warm = 1 },
        new("dispose while some wait", 2, does =>
            [[does.ReturnRented(0)], [does.Dispose], [does.RentInTime, does.Return], [does.RentAsync, does.Return]]) { Maximum = 1, Warm = 1, Rented = 1 },
        new("a smaller pool", 2, does =>
            [[does.Rent, does.Return], [does.RentAsync, does.Return], [does.Resize(1)], [does.Rent, does.Return]]) { Warm = 3 },
        new("a larger pool", 2, does =>
            [[does.Rent, does.Return], [does.RentAsync, does.Return], [does.Resize(3)], [does.Rent, does.Return]]) { Maximum = 1, LaterMaximum = 3, Warm = 1 },
        new("a rental returned twice", 3, does =>
            [[does.ReturnRented(0)], [does.ReturnRented(0)], [does.Rent, does.Return], [does.DiscardRented(0)]]) { Maximum = 2, Warm = 1, Rented = 1 },
        new("a renter is lost", 2, does =>
            [[does.Lose(0), does.Tick], [does.ReturnRented(0)], [does.Rent, does.Return], [does.RentAsync, does.Return]]) { Maximum = 1, Warm = 1, Rented = 1, IsMaintained = true },
        new("the maintainer comes", 2, does =>
            [[does.Tick], [does.Rent, does.Return], [does.RentAsync, does.Return], [does.RentIdle, does.Return]]) { Maximum = 2, Warm = 2, IsMaintained = true },
        new("the maintainer closes what nobody uses", 2, does =>
            [[does.Tick], [does.Rent, does.Return], [does.RentAsync, does.Return], [does.Clear]]) { Maximum = 2, Warm = 2, IsMaintained = true, IdleLifetime = TimeSpan.FromSeconds(1) },
        new("in order of return", 2, does =>
            [[does.Rent, does.Return], [does.RentAsync, does.Return], [does.Rent, does.Discard], [does.Clear]]) { Maximum = 2, Warm = 2, Order = ReuseOrder.Fifo },
        new("in order of return, with the maintainer", 2, does =>
            [[does.Rent, does.Return], [does.RentAsync, does.Return], [does.Tick], [does.Rent, does.Return]]) { Maximum = 1, Warm = 1, Order = ReuseOrder.Fifo, IsMaintained = true },
    ];
}
