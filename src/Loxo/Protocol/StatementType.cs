namespace Loxo;

/// <summary>The kind of a completed statement, by its command tag.</summary>
public enum StatementType : byte
{
    /// <summary>It has not run, or not to its end.</summary>
    Unknown,
    /// <summary>SELECT, VALUES or TABLE.</summary>
    Select,
    /// <summary>INSERT.</summary>
    Insert,
    /// <summary>DELETE.</summary>
    Delete,
    /// <summary>UPDATE.</summary>
    Update,
    /// <summary>CREATE TABLE AS.</summary>
    CreateTableAs,
    /// <summary>MOVE of a cursor.</summary>
    Move,
    /// <summary>FETCH from a cursor.</summary>
    Fetch,
    /// <summary>COPY.</summary>
    Copy,
    /// <summary>Any other statement.</summary>
    Other,
    /// <summary>MERGE.</summary>
    Merge,
    /// <summary>CALL of a procedure.</summary>
    Call,
}
