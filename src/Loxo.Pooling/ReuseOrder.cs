namespace Loxo.Pooling;

/// <summary>Which idle resource is rented first.</summary>
public enum ReuseOrder
{
    /// <summary>The one that was returned last, so that the others reach their idle lifetime. Needs no lock.</summary>
    Lifo,

    /// <summary>The one that was returned first, so that all are used evenly. Takes a short lock.</summary>
    Fifo,
}
