namespace Loxo.Benchmarks.Peers;

/// <summary>The round trips that updates take.</summary>
internal enum UpdatesForm
{
    /// <summary>BEGIN and the updates in one round trip, then COMMIT in another: the caller decides when it has seen the answers.</summary>
    Transaction,

    /// <summary>BEGIN, the updates and COMMIT in one round trip.</summary>
    WholeTransaction,

    /// <summary>The updates alone, in one round trip. They are an implicit transaction.</summary>
    Group,

    /// <summary>BEGIN, each update and COMMIT in a round trip of its own.</summary>
    OneByOne,
}
